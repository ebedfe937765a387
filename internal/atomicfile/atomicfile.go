// Package atomicfile replaces a file atomically: a reader sees the old content or the new one,
// after a crash and after a power cut too. The idea is five steps in this order: a temporary file
// in the same folder, write, sync, rename, and a sync of the folder, without which an acknowledged
// rename is lost with the power. The package has no notion of the content, and locks nothing: the
// last writer wins.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"autobuild/internal/safefile"
)

// tempPrefix and tempSuffix make a temporary file recognisable, and no name of ours looks like it.
const (
	tempPrefix = ".atomicfile-"
	tempSuffix = ".tmp"
)

// Write replaces the file called name below dir by data. The folder must exist; name uses slashes
// and, as with every use of an os.Root, cannot leave dir. On an error no temporary file remains and
// the old file is untouched, unless the very last step failed, the sync of the folder: then the new
// one is there, but may not survive a power cut. Once Write returns nil it does.
func Write(dir *os.Root, name string, data []byte, perm fs.FileMode) error {
	return explain(dir, name, write(dir, name, data, perm, true))
}

// Replace is Write without the syncs. Readers see the old content or the new one, but a power cut
// may leave either, an empty file or none: it is for content that is durable elsewhere too.
func Replace(dir *os.Root, name string, data []byte, perm fs.FileMode) error {
	return explain(dir, name, write(dir, name, data, perm, false))
}

func explain(dir *os.Root, name string, err error) error {
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Join(dir.Name(), filepath.FromSlash(name)), err)
	}
	return nil
}

// Flush makes durable what Replace has put directly into dir.
func Flush(dir *os.Root) error {
	if err := flush(dir); err != nil {
		return fmt.Errorf("flush %s: %w", dir.Name(), cause(err))
	}
	return nil
}

// WritePath is Write for a path that is not confined to a folder.
func WritePath(name string, data []byte, perm fs.FileMode) error {
	dir, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return fmt.Errorf("write %s: open its folder: %w", name, cause(err))
	}
	defer func() { _ = dir.Close() }() // nothing was written through it
	return Write(dir, filepath.Base(name), data, perm)
}

// Rename is dir.Rename with retries while another program has the file open: on Windows, virus
// scanners and indexers do so often.
func Rename(dir *os.Root, from, to string) error {
	return insist(func() error { return dir.Rename(from, to) }, passing)
}

// How long insist goes on, and how long it rests at most.
const (
	patience = 2 * time.Second
	rest     = 50 * time.Millisecond
)

// insist does something again while it fails for a reason that passes.
func insist(do func() error, passes func(error) bool) error {
	var over <-chan time.Time
	for wait := time.Millisecond; ; wait = min(2*wait, rest) {
		err := do()
		if err == nil || !passes(err) {
			return err
		}
		if over == nil {
			over = time.After(patience)
		}
		select {
		case <-time.After(wait):
		case <-over:
			return err
		}
	}
}

// Sweep removes the temporary files that a crash left directly in dir. Only the owner of the folder
// may call it, while no Write is under way.
func Sweep(dir *os.Root) error {
	folder, err := safefile.OpenDirIn(dir, ".")
	if err != nil {
		return fmt.Errorf("sweep %s: %w", dir.Name(), cause(err))
	}
	names, err := folder.Readdirnames(-1)
	if err = errors.Join(err, folder.Close()); err != nil {
		return fmt.Errorf("sweep %s: %w", dir.Name(), err)
	}
	var failed []error
	for _, name := range names {
		if !IsTemp(name) {
			continue
		}
		if err := dir.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = append(failed, fmt.Errorf("sweep %s: %w", filepath.Join(dir.Name(), name),
				cause(err)))
		}
	}
	return errors.Join(failed...)
}

// IsTemp reports whether name, without folders, is that of a temporary file of this package.
func IsTemp(name string) bool {
	return strings.HasPrefix(name, tempPrefix) && strings.HasSuffix(name, tempSuffix)
}

func write(dir *os.Root, name string, data []byte, perm fs.FileMode, durable bool) (err error) {
	folder, base := path.Split(path.Clean(filepath.ToSlash(name)))
	if base == "" || base == "." || base == ".." {
		return fs.ErrInvalid
	}
	temp := folder + tempPrefix + rand.Text() + tempSuffix
	f, err := safefile.OpenIn(dir, temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return step("create a temporary file", err)
	}
	renamed := false
	defer func() {
		if !renamed {
			if rerr := dir.Remove(temp); rerr != nil {
				err = errors.Join(err, step("remove "+temp, rerr))
			}
		}
	}()
	if err := fill(f, data, perm, durable); err != nil {
		_ = f.Close() // return the first error
		return err
	}
	if err := f.Close(); err != nil {
		return step("close", err)
	}
	if err := Rename(dir, temp, folder+base); err != nil {
		return step("rename", err)
	}
	renamed = true
	if !durable {
		return nil
	}
	if err := syncFolder(dir, path.Join(".", folder)); err != nil {
		return step("sync its folder", err)
	}
	return nil
}

// fill writes, and syncs what is to be durable. The mode is set again, because the process's umask
// has taken its share.
func fill(f *os.File, data []byte, perm fs.FileMode, durable bool) error {
	if err := f.Chmod(perm); err != nil {
		return step("set its mode", err)
	}
	if _, err := f.Write(data); err != nil {
		return step("store the content", err)
	}
	if !durable {
		return nil
	}
	if err := f.Sync(); err != nil {
		return step("sync", err)
	}
	return nil
}

func step(what string, err error) error { return fmt.Errorf("%s: %w", what, cause(err)) }

// cause returns the reason within a path error: the temporary name would not help the user.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
}
