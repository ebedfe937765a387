package store

import (
	"cmp"
	"os"
	"path/filepath"
)

// Held says who holds the run lock in lockDir (empty: in stateDir). held is false where nobody
// does; the holder is zero where the lock is held and does not say by whom, which it does for an
// instant while it is being signed.
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
