package git

import (
	"fmt"

	"golang.org/x/sys/unix"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
)

// objectSync is what git itself flushes when it writes objects: nothing, because flush covers them
// all in one call, those that an agent wrote included.
const objectSync = "none"

// Flush writes everything that was written to the file system of dir to the disk.
func Flush(dir string) error {
	f, err := safefile.OpenDir(dir)
	if err != nil {
		return fmt.Errorf("flushing %s: %w", text.Quote(dir), err)
	}
	defer f.Close() //nolint:errcheck // only read
	if err := unix.Syncfs(int(f.Fd())); err != nil {
		return fmt.Errorf("flushing the file system of %s: %w; see that the disk is not full", text.Quote(dir), err)
	}
	return nil
}
