//go:build unix && !linux

package proc

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// orphansAreOurs: there are no subreapers here. Sessions and groups are what can be found.
const orphansAreOurs = false

type process struct {
	pid, ppid, pgid, sid int
	started              uint64
	cpu                  time.Duration
}

func adopt() {}

// closeOnExec marks the low numbers without asking, the supervisor's end of its socket among them:
// some systems list none of those that are open.
func closeOnExec() {
	const low = 128
	for fd := 3; fd < low; fd++ {
		unix.CloseOnExec(fd)
	}
	closeListed("/dev/fd")
}

func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func directAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func leaderDead(int) bool { return false }

// receive is used by the supervisor alone, which forks in the goroutine that receives the files
// only after they are marked.
func receive(fd int, chunk, oob []byte) (n, oobn int, err error) {
	n, oobn, _, _, err = unix.Recvmsg(fd, chunk, oob, 0)
	if err != nil || oobn == 0 {
		return n, oobn, wrap("receive", err)
	}
	messages, err := unix.ParseSocketControlMessage(oob[:oobn])
	if err != nil {
		return n, 0, wrap("receive", err)
	}
	for i := range messages {
		fds, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			return n, 0, wrap("receive", err)
		}
		for _, fd := range fds {
			unix.CloseOnExec(fd)
		}
	}
	return n, oobn, nil
}

func socketpair() ([2]int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fds[0])
		unix.CloseOnExec(fds[1])
	}
	return fds, wrap("socketpair", err)
}

func selfExe() (string, error) {
	exe, err := os.Executable()
	return exe, wrap("executable", err)
}

func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

func startedAt(int) uint64 { return 0 }
