package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/safefile"
)

// Hooks is a copy of the user's commit hooks. No call of git runs a hook: callers run the copy, so
// a hook that appears later, or an agent's edit of one, is never executed.
type Hooks struct {
	files []hookFile
}

// hookFile is one file of the copy, by its path below the copy's root.
type hookFile struct {
	name string
	data []byte
	exec bool
}

// Bounds of a copy: hooks are scripts, and the files beside them that they read.
const (
	maxHookFiles = 256
	maxHookBytes = 4 << 20
)

// hooksDir is the directory of the hooks in a copy: a level below its root, because hooks may read
// what lies beside their directory (husky's do).
const hooksDir = "d"

// CommitHooks names the user's hooks that git would run for a commit, in git's order.
func (r *Repository) CommitHooks(ctx context.Context) ([]string, error) {
	dir, err := r.HooksDir(ctx)
	if err != nil {
		return nil, err
	}
	return hooksIn(dir), nil
}

// hooksIn lists the commit hooks in a directory that can run. Windows has no executable mode, and
// git asks for none there.
func hooksIn(dir string) []string {
	var names []string
	for _, name := range []string{"pre-commit", "prepare-commit-msg", "commit-msg"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err == nil && info.Mode().IsRegular() &&
			(info.Mode()&0o111 != 0 || os.PathSeparator == '\\') {
			names = append(names, name)
		}
	}
	return names
}

// PinHooks copies the user's commit hooks at the first start of a run; a later start gets the same
// copy, and changed says that the user's hooks are others by now.
func (d *ScratchDir) PinHooks(
	ctx context.Context, r *Repository,
) (hooks Hooks, changed bool, err error) {
	now, err := r.readHooks(ctx)
	if err != nil {
		return Hooks{}, false, err
	}
	root := d.Path("hooks")
	if !safefile.IsDir(root) {
		hooks = Hooks{now}
		_, _, err = hooks.WriteTo(root)
		return hooks, false, err
	}
	if hooks.files, err = readCopy(root, "."); err != nil {
		return Hooks{}, false, err
	}
	return hooks, !slices.EqualFunc(hooks.files, now, func(a, b hookFile) bool {
		return a.name == b.name && a.exec == b.exec && bytes.Equal(a.data, b.data)
	}), nil
}

// readHooks reads the user's commit hooks as they are; nothing where there are none.
func (r *Repository) readHooks(ctx context.Context) ([]hookFile, error) {
	dir, err := r.HooksDir(ctx)
	if err != nil || len(hooksIn(dir)) == 0 {
		return nil, err
	}
	files, err := readCopy(dir, hooksDir)
	if err != nil {
		return nil, err
	}
	above := filepath.Dir(dir)
	inside, outside := filepath.Rel(r.Top, above)
	if outside != nil || inside == "." || !filepath.IsLocal(inside) || above == r.GitDir ||
		above == r.CommonDir {
		return files, nil
	}
	beside, err := os.ReadDir(above)
	if err != nil {
		return nil, Unusable("git's hooks cannot be read", err)
	}
	for _, e := range beside {
		if e.IsDir() {
			continue
		}
		if f, ok := hookAt(filepath.Join(above, e.Name()), e.Name()); ok {
			files = append(files, f)
		}
	}
	return files, enough(files)
}

// readCopy reads a directory of hooks, all that lies in it, as files below a name. Links are
// followed: a hook is often one.
func readCopy(dir, below string) ([]hookFile, error) {
	var files []hookFile
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(e.Name(), ".sample") {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return fmt.Errorf("naming a hook: %w", err)
		}
		if f, ok := hookAt(path, filepath.Join(below, rel)); ok {
			files = append(files, f)
		}
		return enough(files)
	})
	if refused, ok := errors.AsType[*UnusableError](err); ok {
		return nil, refused
	}
	if err != nil {
		return nil, Unusable("git's hooks cannot be read", err)
	}
	return files, nil
}

// hookAt reads one file; ok is false where it is no regular file or cannot be read.
func hookAt(path, name string) (f hookFile, ok bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return hookFile{}, false
	}
	f = hookFile{name: name, exec: info.Mode()&0o111 != 0}
	if info.Size() > maxHookBytes {
		f.data = make([]byte, maxHookBytes+1) // enough says that it is too much
		return f, true
	}
	f.data, err = safefile.Read(path, maxHookBytes)
	return f, err == nil
}

// enough refuses a copy that is too large.
func enough(files []hookFile) error {
	size := 0
	for _, f := range files {
		size += len(f.data)
	}
	if len(files) > maxHookFiles || size > maxHookBytes {
		return &UnusableError{
			What: fmt.Sprintf(
				"the directory of git's hooks holds more than %d files or %d MB, too much to "+
					"keep a copy for the run",
				maxHookFiles, maxHookBytes>>20),
			Next: "give the hooks a directory of their own, or leave them out: gates: {hooks: false} in autobuild.yaml",
		}
	}
	return nil
}

// Empty reports whether there are no hooks.
func (h Hooks) Empty() bool { return len(h.files) == 0 }

// WriteTo writes the copy below root, and replaces the files there. It returns the directory that
// git is to use, and the names of the commit hooks in it, in git's order.
func (h Hooks) WriteTo(root string) (dir string, names []string, err error) {
	dir = filepath.Join(root, hooksDir)
	if err := safefile.RemoveAll(root); err != nil {
		return "", nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, Unusable("git's directory cannot be written", err)
	}
	for _, f := range h.files {
		path, mode := filepath.Join(root, f.name), fs.FileMode(0o600)
		if f.exec {
			mode = 0o700
		}
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			err = safefile.Write(path, f.data, mode)
		}
		if err != nil {
			return "", nil, Unusable("git's directory cannot be written", err)
		}
	}
	return dir, hooksIn(dir), nil
}
