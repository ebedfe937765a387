package store

import (
	"cmp"
	"os"
	"path/filepath"
)

// Held returns the holder of the run lock in lockDir (empty: in stateDir). held is false where the
// lock is free; the holder is zero where the lock is held but unsigned, as it is for an instant
// before its owner signs it.
func Held(stateDir, lockDir string) (h Holder, held bool) {
	if !Working(stateDir, lockDir) {
		return Holder{}, false
	}
	return readHolder(filepath.Join(cmp.Or(lockDir, stateDir), runLock)), true
}

// Output opens logs/name for what a run writes that has left its terminal. It is written at its
// end: a later session goes on in it.
func (d *Dir) Output(name string) (f *os.File, path string, err error) {
	if err = logFileName(name); err != nil {
		return nil, "", err
	}
	if err = d.mkdir(logsDir); err != nil {
		return nil, "", err
	}
	f, err = d.appendTo(logsDir + "/" + name)
	return f, d.at(logsDir + "/" + name), err
}
