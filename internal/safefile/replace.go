package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// TempPrefix begins the name of a file that Replace has not renamed yet.
const TempPrefix = ".autobuild-"

// Replace writes a file so that a reader finds the old content or the new one, after a power cut
// too. It does not sync the folder: until that is flushed, a power cut may bring the old content
// back. Package atomicfile syncs it.
func Replace(path string, data []byte, perm fs.FileMode) error {
	return replaceBy(filepath.Dir(path), path, data, perm)
}

// ReplaceVia is Replace with the temporary file in another folder, so that a crash leaves nothing
// beside path. Where that folder is on another file system, the temporary file lies beside path.
func ReplaceVia(folder, path string, data []byte, perm fs.FileMode) error {
	if replaceBy(folder, path, data, perm) == nil {
		return nil
	}
	return Replace(path, data, perm)
}

func replaceBy(folder, path string, data []byte, perm fs.FileMode) error {
	f, err := os.CreateTemp(folder, TempPrefix+"*")
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

// ReplaceAny is Replace for a path at which a directory may lie, or the folder may be missing: the
// directory is removed, the folder made.
func ReplaceAny(path string, data []byte) error {
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		if err = RemoveAll(path); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err //nolint:wrapcheck // the caller says what the file is for
	}
	return Replace(path, data, 0o600)
}
