//go:build unix

package proc

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// directHold are the files that a direct child keeps open. After a SIGKILL of this program the
// child ends its work by itself, and the lock is free when it has.
func directHold(f *os.File) []*os.File { return []*os.File{f} }

func stopDirect(cmd *exec.Cmd, polite bool) {
	sig := unix.SIGTERM
	if polite {
		sig = unix.SIGINT
	}
	_ = unix.Kill(-cmd.Process.Pid, sig)
}

func killDirect(cmd *exec.Cmd) { _ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }

func signalOf(s *os.ProcessState) string {
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return unix.SignalName(ws.Signal())
	}
	return ""
}

func explainStart(err error, l *launch) error {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return explainExec(errno, l)
	}
	return err
}
