package cmd

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

var (
	stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM}
	pipeSignals = []os.Signal{syscall.SIGPIPE}
	goOnSignals = []os.Signal(nil)
	quitSignals = []os.Signal(nil)
	signalNames = map[string]os.Signal{"SIGINT": os.Interrupt, "SIGTERM": syscall.SIGTERM}
)

// readerGone reports whether a write failed because nobody reads any more.
func readerGone(err error) bool {
	return errors.Is(err, windows.ERROR_NO_DATA) || errors.Is(err, windows.ERROR_BROKEN_PIPE)
}
