package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// RemoveAll deletes a directory, write-protected directories in it (a module cache, say) included.
// It never follows a link, and refuses where a file system is mounted in it.
func RemoveAll(dir string) error {
	mounts, err := os.ReadFile("/proc/self/mountinfo") // there is none outside of Linux
	for line := range strings.Lines(string(mounts)) {
		if f := strings.Fields(line); err == nil && len(f) > 4 && IsBelow(mountName.Replace(f[4]), dir) {
			return fmt.Errorf("%s is a mount point, and is not emptied; unmount it", f[4])
		}
	}
	err = os.RemoveAll(dir)
	if err == nil {
		return nil
	}
	opened := unprotect(dir)
	if err = os.RemoveAll(dir); err != nil {
		return fmt.Errorf("removing a directory: %w", errors.Join(err, opened))
	}
	return nil
}

// mountName reads a path of mountinfo: see proc(5).
var mountName = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

// unprotect makes every directory from dir down writable. A link that takes a directory's place
// meanwhile leads nowhere.
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
