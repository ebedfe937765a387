//go:build !linux

package atomicfile

import (
	"errors"
	"os"

	"autobuild/internal/safefile"
)

// flush syncs each regular file of a folder, and the folder.
func flush(dir *os.Root) error {
	folder, err := safefile.OpenDirIn(dir, ".")
	if err != nil {
		return err
	}
	names, err := folder.Readdirnames(-1)
	if err = errors.Join(err, folder.Close()); err != nil {
		return err
	}
	for _, name := range names {
		f, err := safefile.OpenIn(dir, name, os.O_RDWR, 0) // Windows syncs what can be written
		if err != nil {
			continue // a file of somebody else
		}
		if err = errors.Join(f.Sync(), f.Close()); err != nil {
			return err
		}
	}
	return syncFolder(dir, ".")
}
