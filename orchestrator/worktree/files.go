package worktree

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"autobuild/internal/safefile"
)

// The ways out where something cannot be written.
const (
	makeWritable = "make it writable for this user, and see that the disk is not full"
	raiseLimit   = "raise ulimit -f, which bounds how large a file may be"
)

// Unusable makes the error of a file an *UnusableError that names the way out.
func Unusable(what string, err error) error {
	where, next := "", makeWritable
	if special, ok := errors.AsType[*safefile.NotRegularError](err); ok {
		return &UnusableError{
			What: what + ": it is " + safefile.Kind(special.Mode), Where: special.Path,
			Next: "find out what replaced it, and put it back, or remove it",
		}
	}
	if errors.Is(err, syscall.EFBIG) {
		next = raiseLimit
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		where, err = p.Path, p.Err
	}
	return &UnusableError{What: fmt.Sprintf("%s (%v)", what, err), Where: where, Next: next}
}

// CopyIndex copies an index file with its time: git takes an entry as unchanged only if the index is younger than the file, so
// a copy that looked younger would hide changes.
func CopyIndex(from, to string) error {
	in, err := safefile.Open(from)
	if err != nil {
		return fmt.Errorf("copying an index: %w", err)
	}
	defer in.Close() //nolint:errcheck // only read
	info, err := in.Stat()
	if err != nil {
		return fmt.Errorf("copying an index: %w", err)
	}
	out, err := os.CreateTemp(filepath.Dir(to), safefile.TempPrefix+"*")
	if err != nil {
		return fmt.Errorf("copying an index: %w", err)
	}
	_, err = io.Copy(out, in)
	err = errors.Join(err, out.Chmod(0o644), out.Close())
	if err == nil {
		err = os.Chtimes(out.Name(), time.Time{}, info.ModTime())
	}
	if err == nil {
		err = os.Rename(out.Name(), to)
	}
	if err != nil {
		return fmt.Errorf("copying an index: %w", errors.Join(err, os.Remove(out.Name())))
	}
	return nil
}

// removeIn deletes files below dir without following a link out of it.
func removeIn(dir string, paths []string) (err error) {
	if len(paths) == 0 {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("opening a worktree: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for _, p := range paths {
		if err := root.RemoveAll(filepath.Clean(filepath.FromSlash(p))); err != nil {
			return fmt.Errorf("removing what a check left in the worktree: %w", err)
		}
	}
	return nil
}
