package git

import (
	"fmt"

	"golang.org/x/sys/unix"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
)

// objectSync is git's core.fsync for objects: none, because Flush covers all of them in one call,
// also those that an agent wrote.
const objectSync = "none"

// Flush puts all that was written to the file system of dir on the disk. Where there is no such
// call, git syncs each object, and Flush does nothing.
func Flush(dir string) error {
	f, err := safefile.OpenDir(dir)
	if err != nil {
		return fmt.Errorf("flushing %s: %w", text.Quote(dir), err)
	}
	defer f.Close() //nolint:errcheck // only read
	if err := unix.Syncfs(int(f.Fd())); err != nil {
		return fmt.Errorf("flushing the file system of %s: %w; see that the disk is not full",
			text.Quote(dir), err)
	}
	return nil
}
