package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// syncFolder does nothing: folders cannot be synced here, and the rename replaces the target by
// itself.
func syncFolder(*os.Root, string) error { return nil }

// errSharing is ERROR_SHARING_VIOLATION, which package syscall has no name for.
const errSharing = syscall.Errno(32)

// passing reports whether a file could not be moved because another program has it open. Windows
// reports access denied where the open file is the one to be replaced.
func passing(err error) bool {
	return errors.Is(err, errSharing) || errors.Is(err, syscall.ERROR_ACCESS_DENIED)
}
