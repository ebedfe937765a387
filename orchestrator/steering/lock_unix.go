//go:build unix

package steering

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// lock holds the file for this process until it is closed or the process ends.
func lock(f *os.File) error {
	l := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
	if err := unix.FcntlFlock(f.Fd(), unix.F_SETLK, &l); err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	return nil
}

// holder is the process that holds the file, as the kernel says; 0 is none.
func holder(f *os.File) (int, error) {
	l := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
	if err := unix.FcntlFlock(f.Fd(), unix.F_GETLK, &l); err != nil {
		return 0, fmt.Errorf("ask who holds it: %w", err)
	}
	if l.Type == unix.F_UNLCK {
		return 0, nil
	}
	return int(l.Pid), nil
}
