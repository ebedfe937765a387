//go:build unix

package safefile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

const (
	nonBlock  = syscall.O_NONBLOCK
	noFollow  = syscall.O_NOFOLLOW
	directory = syscall.O_DIRECTORY
)

// busy reports whether another process holds a lease on the file.
func busy(err error) bool { return errors.Is(err, syscall.EAGAIN) }

// kindOf finds out whether an open failed because of what the path leads to: a socket, a link where
// none may be, a FIFO without a reader.
func kindOf(path string, err error) (fs.FileMode, bool) {
	if !errors.Is(err, syscall.ENXIO) && !errors.Is(err, syscall.ELOOP) {
		return 0, false
	}
	info, gone := os.Lstat(path)
	if gone != nil {
		return 0, false
	}
	if errors.Is(err, syscall.ENXIO) {
		if to, gone := os.Stat(path); gone == nil {
			info = to
		}
	}
	return info.Mode(), !info.Mode().IsRegular()
}
