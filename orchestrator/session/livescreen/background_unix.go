//go:build unix

package livescreen

import (
	"golang.org/x/sys/unix"
)

// background reports whether another job has the terminal. A terminal that does not control this
// process has no foreground job.
func background(fd uintptr) bool {
	front, err := unix.IoctlGetInt(int(fd), unix.TIOCGPGRP)
	return err == nil && front != unix.Getpgrp()
}
