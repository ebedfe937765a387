package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// RemoveAll deletes a directory, write-protected directories in it (a module cache, say) included.
// It never follows a link.
func RemoveAll(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil {
		return nil
	}
	opened := unprotect(dir)
	if err = os.RemoveAll(dir); err != nil {
		return fmt.Errorf("removing a directory: %w", errors.Join(err, opened))
	}
	return nil
}

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
