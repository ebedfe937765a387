package store

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"autobuild/internal/safefile"
)

// Holder identifies the holder of the run lock. It is written into the lock file for processes that
// are refused.
type Holder struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Started time.Time `json:"started"`
	RunID   string    `json:"run_id,omitzero"`
	Plan    string    `json:"plan,omitzero"`
	Args    string    `json:"args,omitzero"`
	Process string    `json:"process,omitzero"` // identity of the process: a PID can be reused
	Dir     string    `json:"dir,omitzero"`     // its state directory: one lock is for all checkouts of a repository
	Flags   []string  `json:"flags,omitzero"`   // of its call, that a resume has to repeat
	Chosen  []string  `json:"chosen,omitzero"`  // names of all flags of its call
}

// LockedError says that another autobuild works in this repository, or that agents of a run that
// was killed still do.
type LockedError struct {
	Holder Holder // zero where the lock file does not say
	Path   string
	Agents bool // the run has gone, its agents have not
}

// Error names the holder and the ways out.
func (e *LockedError) Error() string {
	var who []string
	if e.Holder.PID != 0 {
		who = append(who, fmt.Sprintf("process %d on %s", e.Holder.PID, e.Holder.Host),
			"since "+e.Holder.Started.Local().Format("2006-01-02 15:04:05"))
	}
	if e.Holder.RunID != "" {
		who = append(who, "run "+e.Holder.RunID)
	}
	if e.Holder.Plan != "" {
		who = append(who, "plan "+e.Holder.Plan)
	}
	what, next := "another autobuild is running in this repository",
		"see autobuild status, wait until it has ended (autobuild wait)"
	if e.Holder.PID != 0 {
		next += ", or end it in order with: autobuild stop"
	}
	if e.Agents {
		what, next = "agents of a run that was killed are still working",
			"wait until they have ended, or end them, then run again"
	}
	if len(who) > 0 {
		what += " (" + strings.Join(who, ", ") + ")"
	}
	return what + " · lock " + e.Path + " · " + next
}

// Working reports whether the run lock in lockDir (empty: in stateDir) is held. To find out it
// takes the lock for an instant.
func Working(stateDir, lockDir string) bool {
	path := filepath.Join(cmp.Or(lockDir, stateDir), runLock)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return false // a run locks only a regular file
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY|safefile.NonBlock))
	free, err := lock.TryRLock()
	if err != nil {
		return false
	}
	if free {
		_ = lock.Unlock() // it goes with the handle in any case
	}
	return !free
}

// lockTries bounds how often a lock file that vanishes under us is taken anew.
const lockTries = 100

// takeLock takes the run lock and returns what the file says of its last holder.
func (d *Dir) takeLock(dir string) (Holder, error) {
	path := filepath.Join(dir, runLock)
	for range lockTries {
		if err := makeLockFile(path); err != nil {
			return Holder{}, err
		}
		lock := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDONLY|safefile.NonBlock),
			flock.SetPermissions(fileMode))
		ok, err := lock.TryLock()
		if err != nil {
			return Holder{}, explain("locking", path, err)
		}
		if !ok {
			return Holder{}, &LockedError{Holder: readHolder(path), Path: path}
		}
		if d.own(lock) {
			return readHolder(path), nil
		}
		if err = lock.Unlock(); err != nil {
			return Holder{}, explain("locking", path, err)
		}
	}
	return Holder{}, &UnusableError{
		path, "keeps being replaced",
		"find out who removes it, then run again",
	}
}

// own keeps an acquired lock if its name still leads to the locked file. Deleting a lock file
// allows a second holder: between opening and locking, the file can lose its name, and no other
// process would find it.
func (d *Dir) own(lock *flock.Flock) bool {
	mine, err := lock.Stat()
	if err != nil || !sameFile(lock.Path(), mine) {
		return false
	}
	d.lock, d.locked = lock, mine
	return true
}

// makeLockFile sees that path is a regular file of at least one byte. Windows locks the first byte
// against readers too, so the holder's own data begins with the second.
func makeLockFile(path string) error {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		return &UnusableError{
			path, "is " + kind(info.Mode()) + ", not a regular file",
			"move it out of the way and run again",
		}
	}
	if err == nil {
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return explain("looking at", path, err)
	}
	f, err := safefile.OpenPlain(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		_, err = f.WriteString("\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return explain("creating", path, err)
	}
	return nil
}

// sameFile reports whether path still leads to the file with this info, and not by a link.
func sameFile(path string, info fs.FileInfo) bool {
	now, err := os.Lstat(path)
	return err == nil && os.SameFile(now, info)
}

// sign writes the holder into the lock file.
func (d *Dir) sign(h Holder) error {
	text, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("signing the lock: %w", err)
	}
	return d.writeHolder(append(text, '\n'))
}

// release wipes the signature, so that it names no ended process, and unlocks. A killed run whose
// agents live on keeps its own.
func (d *Dir) release() error {
	var err error
	switch {
	case !sameFile(d.lock.Path(), d.locked): // the name leads to another process's lock
	case d.survived.PID != 0:
		err = d.sign(d.survived)
	default:
		err = d.writeHolder(nil)
	}
	return errors.Join(err, d.lock.Unlock())
}

func (d *Dir) writeHolder(text []byte) error {
	path := d.lock.Path()
	f, err := safefile.OpenPlain(path, os.O_WRONLY, 0)
	if err != nil {
		return explain("signing", path, err)
	}
	err = f.Truncate(1)
	if err == nil {
		_, err = f.WriteAt(text, 1)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return explain("signing", path, err)
	}
	return nil
}

// readHolder reads the lock file; the zero Holder where it is unreadable or malformed.
func readHolder(path string) Holder {
	f, err := safefile.OpenPlain(path, os.O_RDONLY, 0)
	if err != nil {
		return Holder{}
	}
	text, err := io.ReadAll(io.NewSectionReader(f, 1, 64<<10))
	var h Holder
	if err = errors.Join(err, f.Close()); err != nil || json.Unmarshal(text, &h) != nil {
		return Holder{}
	}
	return h
}

// awaitAgents holds the agents' lock alone for a moment, which proves that no supervisor of an
// earlier run is left, and then shares it with those to come.
func (d *Dir) awaitAgents(path string, old Holder, wait time.Duration) error {
	if err := makeLockFile(path); err != nil {
		return err
	}
	f, err := safefile.OpenPlain(path, os.O_RDWR, 0)
	if err != nil {
		return explain("opening", path, err)
	}
	d.agents = f
	patience := time.NewTimer(wait)
	defer patience.Stop()
	for {
		alone, err := lockAlone(f)
		if err != nil {
			return explain("locking", path, err)
		}
		if alone {
			break
		}
		select {
		case <-patience.C:
			d.survived = old
			return &LockedError{Holder: old, Path: path, Agents: true}
		case <-time.After(agentsEvery):
		}
	}
	if err := lockShared(f); err != nil {
		return explain("locking", path, err)
	}
	return nil
}
