package cmd

import (
	"os"
	"syscall"
)

var (
	stopSignals     = []os.Signal{os.Interrupt, syscall.SIGTERM}
	pipeSignals     = []os.Signal{syscall.SIGPIPE}
	goOnSignals     = []os.Signal(nil)
	quitSignals     = []os.Signal(nil)
	continueSignals = []os.Signal(nil)
	signalNames     = map[string]os.Signal{"SIGINT": os.Interrupt, "SIGTERM": syscall.SIGTERM}
)
