package tamper

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"autobuild/internal/safefile"
)

// environmentName is the file in the state directory that holds the Watch from the first attempt of
// a session to its end. The session after a kill compares with it.
const environmentName = "environment.json"

// maxEnvironment bounds that file, in bytes.
const maxEnvironment = 64 << 20

// Environment keeps the environment of gates as it was when the run started: differences are put
// back and reported. A nil Environment watches nothing.
type Environment struct {
	Watch    *Watch
	StateDir string
	Put      func(name string, data []byte, exec bool) error // writes a file of the state directory
	// an agent of this run may have been at work
	Begun bool
	Note  func(format string, args ...any) // prints a line for the user
	Clean func(note string) string         // makes a note fit for a terminal
	Doubt func()                           // called when the environment was found changed

	held    fs.FileInfo // of the file as it was written; nil: it has to be written
	partial bool        // the note that not all libraries are compared was printed
}

// atRest is the mode of that file while no agent is at work: then only the user changes things.
const atRest = 0o400

// Recover puts back what agents of a killed run changed in the environment of its gates, and
// removes the file that noted it. The error is a *LostError where something cannot be put back; a
// later session starts without it.
func Recover(c Config) (notes []string, err error) {
	path := filepath.Join(c.StateDir, environmentName)
	if info, failed := os.Lstat(path); failed == nil && info.Mode().Perm()&0o200 == 0 {
		return nil, remove(path)
	}
	data, err := safefile.ReadNamed(path, maxEnvironment)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var watch *Watch
	if err == nil {
		watch, err = Decode(c, data)
	}
	var lost error
	if err != nil {
		notes = []string{"what its agents may have changed in the environment of the gates is " +
			"not known: " + err.Error()}
	} else {
		notes, lost = watch.Restore(watch.Compare("go", "python", "node"))
	}
	if err := remove(path); err != nil {
		return notes, err
	}
	return notes, lost
}

// remove deletes a file that need not exist.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// hold notes on disk that agents are at work, with the Watch. A file that is there is used again.
func (e *Environment) hold() error {
	if e == nil {
		return nil
	}
	path := filepath.Join(e.StateDir, environmentName)
	if now, err := os.Lstat(path); err == nil && e.held != nil && os.SameFile(now, e.held) &&
		now.Size() == e.held.Size() && now.ModTime().Equal(e.held.ModTime()) {
		return os.Chmod(path, e.held.Mode())
	}
	data, err := e.Watch.Encode()
	if err == nil {
		err = safefile.IgnoreMissing(os.Chmod(path, 0o600)) // Windows replaces no read-only file
	}
	if err == nil {
		err = e.Put(environmentName, data, false)
	}
	if err == nil {
		e.held, err = os.Lstat(path)
	}
	return err
}

// markAtRest notes that no agent is at work.
func (e *Environment) markAtRest() error {
	if e == nil || e.held == nil {
		return nil
	}
	return safefile.IgnoreMissing(os.Chmod(filepath.Join(e.StateDir, environmentName), atRest))
}

// release removes the file that hold wrote, at the end of a session.
func (e *Environment) release() error {
	if e == nil || e.held == nil {
		return nil
	}
	e.held = nil
	return remove(filepath.Join(e.StateDir, environmentName))
}

// changed compares, puts back what differs and describes it. Commands are those that are about to
// run, or have just run.
func (e *Environment) changed(commands ...string) ([]string, error) {
	if e == nil {
		return nil, nil
	}
	changes := e.Watch.Compare(commands...)
	if e.Watch.Partial() && !e.partial {
		e.partial = true
		e.Note("the libraries that gates load have more files than are looked at: changes of " +
			"some would not be seen")
	}
	if len(changes) == 0 {
		return nil, nil
	}
	e.doubt()
	notes, err := e.Watch.Restore(changes)
	for i, note := range notes {
		notes[i] = e.Clean(note)
	}
	return notes, err
}

func (e *Environment) doubt() {
	if e.Doubt != nil {
		e.Doubt()
	}
}

// settle accepts what autobuild's own preparation of a worktree has changed.
func (e *Environment) settle() error {
	if e == nil || len(e.Watch.Compare()) == 0 {
		return nil
	}
	e.doubt()
	e.held = nil // another is written before the next agent
	return e.Watch.Adopt()
}
