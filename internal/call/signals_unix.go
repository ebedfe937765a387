//go:build unix

package call

import (
	"os"
	"syscall"
)

var (
	stopSignals = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}
	pipeSignals = []os.Signal{syscall.SIGPIPE}
	goOnSignals = []os.Signal{syscall.SIGUSR1}
	QuitSignals = []os.Signal{syscall.SIGQUIT}
	signalNames = map[string]os.Signal{"SIGINT": syscall.SIGINT, "SIGTERM": syscall.SIGTERM, "SIGHUP": syscall.SIGHUP}
)
