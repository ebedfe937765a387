//go:build unix && !linux

package proc

import (
	"os"
	"strconv"
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

func closeOnExec() {
	names, err := os.ReadDir("/dev/fd")
	if err != nil {
		return
	}
	for _, n := range names {
		if fd, err := strconv.Atoi(n.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}

func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func leaderDead(int) bool { return false }

// receive is used by the supervisor alone, which forks in the goroutine that is told of the files only
// after they are marked.
func receive(fd int, chunk, oob []byte) (n, oobn int, err error) {
	n, oobn, _, _, err = unix.Recvmsg(fd, chunk, oob, 0)
	if err != nil || oobn == 0 {
		return n, oobn, err
	}
	messages, err := unix.ParseSocketControlMessage(oob[:oobn])
	if err != nil {
		return n, 0, err
	}
	for i := range messages {
		fds, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			return n, 0, err
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
	return fds, err
}

func selfExe() (string, error) { return os.Executable() }

func startedAt(int) uint64 { return 0 }
