//go:build unix

package cmd

import (
	"os"
	"syscall"
)

var (
	stopSignals     = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}
	pipeSignals     = []os.Signal{syscall.SIGPIPE}
	goOnSignals     = []os.Signal{syscall.SIGUSR1}
	quitSignals     = []os.Signal{syscall.SIGQUIT}
	continueSignals = []os.Signal{syscall.SIGCONT}
	signalNames     = map[string]os.Signal{
		"SIGINT": syscall.SIGINT, "SIGTERM": syscall.SIGTERM,
		"SIGHUP": syscall.SIGHUP,
	}
)
