//go:build unix

package livescreen

import (
	"golang.org/x/sys/unix"
)

// background reports whether another job has the terminal. One that is not the process's own is
// nobody's.
func background(fd uintptr) bool {
	front, err := unix.IoctlGetInt(int(fd), unix.TIOCGPGRP)
	return err == nil && front != unix.Getpgrp()
}
