//go:build unix

package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"autobuild/internal/safefile"
)

// syncFolder makes the rename durable. A file system that cannot sync folders says EINVAL, or that
// it has no such thing, as one on the network does to macOS, and then there is nothing more to be
// had.
func syncFolder(dir *os.Root, folder string) error {
	f, err := safefile.OpenDirIn(dir, folder)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, f.Close())
}

// passing is false: on Unix an open file can be moved.
func passing(error) bool { return false }
