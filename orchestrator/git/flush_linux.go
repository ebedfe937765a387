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

// flushes reports whether Flush does anything.
const flushes = true

// Flush puts all that was written to the file systems of dirs on the disk. Where there is no such
// call, git syncs each object, and Flush does nothing.
func Flush(dirs ...string) error {
	done := map[uint64]bool{}
	for _, dir := range dirs {
		if err := flush(dir, done); err != nil {
			return err
		}
	}
	return nil
}

// flush is Flush for one directory; done holds the devices that were flushed.
func flush(dir string, done map[uint64]bool) error {
	f, err := safefile.OpenDir(dir)
	if err != nil {
		return fmt.Errorf("flushing %s: %w", text.Quote(dir), err)
	}
	defer f.Close() //nolint:errcheck // only read
	var st unix.Stat_t
	if err = unix.Fstat(int(f.Fd()), &st); err == nil && done[st.Dev] {
		return nil
	}
	if err == nil {
		err = unix.Syncfs(int(f.Fd()))
	}
	if err != nil {
		return fmt.Errorf("flushing the file system of %s: %w; see that the disk is not full",
			text.Quote(dir), err)
	}
	done[st.Dev] = true
	return nil
}
