package tamper

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"autobuild/internal/atomicfile"
)

// Restore puts back the changes that Compare has found, and describes each change and its outcome.
// It puts files in the way aside into kept/ of the state directory. The error is a *LostError where
// something cannot be put back.
func (w *Watch) Restore(changes []Change) (notes []string, err error) {
	var lost []string
	moved := map[int]bool{} // listings from which something was taken away
	for _, c := range changes {
		kept, err := w.restore(c)
		switch {
		case err != nil:
			lost = append(lost, c.What+"; it cannot be put back: "+err.Error())
		case kept != "" && (c.kind == added || c.kind == replaced && w.items[c.at].Stamp.absent()):
			notes = append(notes, c.What+"; put aside as "+kept)
		case kept != "":
			notes = append(notes, c.What+"; put back, and kept in "+kept)
		default:
			notes = append(notes, c.What+"; put back")
		}
		if c.kind == added {
			moved[c.at] = true
		}
	}
	for i := range moved {
		w.listings[i].Stamp = stampOf(w.listings[i].Dir)
	}
	if len(lost) > 0 {
		return append(notes, lost...), &LostError{Notes: lost}
	}
	return notes, nil
}

// errNoCopy says that a file was too large to be copied, or could not be read.
var errNoCopy = errors.New("there is no copy of it")

func (w *Watch) restore(c Change) (kept string, err error) {
	switch c.kind {
	case added:
		return w.putAside(c.Path)
	case library:
		t := &w.trees[c.at]
		if !t.Fetch {
			return "", errNoCopy
		}
		t.Away = true
		return w.putAside(t.Root)
	case replaced:
	}
	it := w.items[c.at]
	if it.Fetch {
		kept, err = w.putAside(it.Path)
		w.items[c.at].Stamp = stamp{}
		return kept, err
	}
	kept, err = w.writeBack(it)
	w.renew(c.at)
	return kept, err
}

// writeBack gives a path what lay there.
func (w *Watch) writeBack(it item) (kept string, err error) {
	link, _ := os.Readlink(it.Path) // empty where there is none
	switch {
	case it.Stamp.absent():
		return w.putAside(it.Path)
	case it.Link == "" && !it.Kept:
		return "", errNoCopy
	case it.Link == "":
		return w.rewrite(it.Path, it.Copy, it.Stamp.Mode)
	case link == it.Link && !it.Kept:
		return "", errNoCopy
	case link == it.Link:
		return w.rewrite(it.target(), it.Copy, it.Target.Mode)
	}
	if kept, err = w.putAside(it.Path); err == nil {
		err = errors.Join(os.MkdirAll(filepath.Dir(it.Path), 0o755), os.Symlink(it.Link, it.Path)) //nolint:gosec // as tools make it
	}
	switch {
	case err != nil || it.Target.absent() || stampOf(it.Path).identity() == it.Target.identity():
		return kept, err
	case !it.Kept:
		return kept, errNoCopy
	}
	_, err = w.rewrite(it.target(), it.Copy, it.Target.Mode)
	return kept, err
}

// target is the file behind a link, there or not.
func (it item) target() string {
	if target, err := filepath.EvalSymlinks(it.Path); err == nil {
		return target
	}
	if filepath.IsAbs(it.Link) {
		return it.Link
	}
	return filepath.Join(filepath.Dir(it.Path), it.Link)
}

// rewrite puts aside what lies at a path, and writes what lay there.
func (w *Watch) rewrite(path string, data []byte, mode fs.FileMode) (kept string, err error) {
	if kept, err = w.putAside(path); err != nil {
		return kept, err
	}
	if err = os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // as tools make it
		return kept, err
	}
	return kept, atomicfile.WritePath(path, data, mode.Perm())
}

// putAside moves what lies at a path into kept/; a small file from another file system is copied.
// Nothing there: nothing is kept.
func (w *Watch) putAside(path string) (kept string, err error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if info.IsDir() && info.Mode().Perm()&0o200 == 0 {
		// a directory that cannot be written cannot be moved
		if err = os.Chmod(path, info.Mode().Perm()|0o700); err != nil {
			return "", err
		}
	}
	dir := filepath.Join(w.config.StateDir, "kept")
	if err = os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		name := filepath.Base(path) + "." + strconv.Itoa(n)
		to := filepath.Join(dir, name)
		if _, err = os.Lstat(to); err == nil {
			continue
		}
		kept = filepath.Join(filepath.Base(w.config.StateDir), "kept", name)
		err = os.Rename(path, to)
		if errors.Is(err, syscall.EXDEV) {
			kept, err = w.elsewhere(path, to, kept, info)
		}
		return kept, err
	}
}

// elsewhere is putAside from another file system: a large file stays beside its place, under a name
// that no tool looks for.
func (w *Watch) elsewhere(path, to, kept string, info fs.FileInfo) (string, error) {
	if info.Mode().IsRegular() && info.Size() <= maxCopy {
		data, err := w.config.Load(path, maxCopy)
		if err == nil {
			err = atomicfile.WritePath(to, data, 0o600)
		}
		if err == nil {
			return kept, os.Remove(path)
		}
	}
	aside := fmt.Sprintf("%s.autobuild-kept-%d", path, info.ModTime().UnixNano())
	return aside, os.Rename(path, aside)
}
