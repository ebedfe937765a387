//go:build unix

package cmd

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// background reports whether another job has the terminal. One that is not the process's own is nobody's.
func background(fd uintptr) bool {
	front, err := unix.IoctlGetInt(int(fd), unix.TIOCGPGRP)
	return err == nil && front != unix.Getpgrp()
}

// listenContinue tells when the process goes on after it was stopped.
func listenContinue() (goOn <-chan os.Signal, deaf func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGCONT)
	return c, func() { signal.Stop(c) }
}
