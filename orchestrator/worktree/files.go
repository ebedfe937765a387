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

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// isFile reports whether path leads to a regular file: reading anything else, a pipe say, may never end.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// readFile reads a file that an agent may have put something else in place of.
func readFile(path string) ([]byte, error) {
	return safefile.Read(path, safefile.Small) //nolint:wrapcheck // the path is in it
}

// isDir reports whether path is a directory itself, not a link to one.
func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// The ways out where something cannot be written.
const (
	makeWritable = "make it writable for this user, and see that the disk is not full"
	raiseLimit   = "raise ulimit -f, which bounds how large a file may be"
)

// unusable makes a file system's refusal one that names the way out.
func unusable(what string, err error) error {
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

// halfWritten begins the name of a file that is not yet in its place.
const halfWritten = ".autobuild-"

// replaceFile writes a file so that a reader sees the old bytes or the new ones, after a power cut too. That it is the new ones then is
// for the next flush to see to.
func replaceFile(path string, data []byte, perm fs.FileMode) error {
	return replaceBy(filepath.Dir(path), path, data, perm)
}

// replaceFrom makes the new file in a folder of ours, so that a crash leaves nothing where a user finds it, or a phase's work would hold it.
// Where that folder is on another file system there is no such way.
func replaceFrom(folder, path string, data []byte, perm fs.FileMode) error {
	if replaceBy(folder, path, data, perm) == nil {
		return nil
	}
	return replaceFile(path, data, perm)
}

func replaceBy(folder, path string, data []byte, perm fs.FileMode) error {
	f, err := os.CreateTemp(folder, halfWritten+"*")
	if err != nil {
		return err //nolint:wrapcheck // the callers say what the file is for
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(perm), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// copyIndex copies an index file with its time: git takes an entry as unchanged only if the index is younger than the file, so
// a copy that looked younger would hide changes.
func copyIndex(from, to string) error {
	in, err := safefile.Open(from)
	if err != nil {
		return fmt.Errorf("copying an index: %w", err)
	}
	defer in.Close() //nolint:errcheck // only read
	info, err := in.Stat()
	if err != nil {
		return fmt.Errorf("copying an index: %w", err)
	}
	out, err := os.CreateTemp(filepath.Dir(to), halfWritten+"*")
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

// removeAll deletes a directory of ours, also where write-protected directories (a module cache, say) stand in the way. It
// never follows a link.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil {
		return nil
	}
	opened := unprotect(dir)
	if err = os.RemoveAll(dir); err != nil {
		return fmt.Errorf("removing %s: %w", quote(dir), errors.Join(err, opened))
	}
	return nil
}

// unprotect lets every directory from dir down be emptied. A link that somebody puts in a directory's place meanwhile leads nowhere.
func unprotect(dir string) (err error) {
	parent := filepath.Dir(dir)
	root, err := os.OpenRoot(parent)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if e == nil || !e.IsDir() {
			return err
		}
		name, err := filepath.Rel(parent, path)
		if err != nil {
			return err
		}
		return root.Chmod(name, 0o700)
	})
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

// resolved is a path without links, or the path itself where that cannot be found out.
func resolved(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}
