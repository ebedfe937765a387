package proc

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// orphansAreOurs: a subreaper is given every orphan below it, so without children no process is
// left.
const orphansAreOurs = true

// cpuTick is the grain of the CPU times in /proc; the kernel has promised it to programs.
const cpuTick = 10 * time.Millisecond

// process is one line of the system's process table.
type process struct {
	pid, ppid, pgid, sid int
	started              uint64        // clock ticks since boot
	cpu                  time.Duration // its own and that of the children it has waited for
}

// adopt makes this process the one that gets orphaned descendants.
func adopt() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// closeOnExec keeps descriptors that this process inherited from its own children.
func closeOnExec() {
	if unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	closeListed("/proc/self/fd") // kernels before 5.11
}

// childAttr: a session of its own, and SIGKILL should even the supervisor be killed.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// leaderDead looks without reaping.
func leaderDead(pid int) bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT|unix.WNOHANG, nil)
	return err == nil && info.Signo == int32(unix.SIGCHLD)
}

func receive(fd int, chunk, oob []byte) (n, oobn int, err error) {
	n, oobn, _, _, err = unix.Recvmsg(fd, chunk, oob, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return 0, 0, fmt.Errorf("receive: %w", err)
	}
	return n, oobn, nil
}

func socketpair() ([2]int, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fds, fmt.Errorf("socketpair: %w", err)
	}
	return fds, nil
}

// selfExe runs the very program that is running, even if its file has been replaced since.
func selfExe() (string, error) {
	const self = "/proc/self/exe"
	if _, err := os.Stat(self); err == nil {
		return self, nil
	}
	exe, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("without /proc: %w", err)
	}
	return exe, nil
}

// processes reads the process table.
func processes() ([]process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("open the process table: %w", err)
	}
	names, err := dir.Readdirnames(-1)
	closeQuietly(dir)
	if err != nil {
		return nil, fmt.Errorf("read the process table: %w", err)
	}
	list := make([]process, 0, len(names))
	buf := make([]byte, 1024)
	for _, name := range names {
		if name[0] < '1' || name[0] > '9' {
			continue
		}
		if p, ok := readStat(name, buf); ok {
			list = append(list, p)
		}
	}
	return list, nil
}

func readStat(name string, buf []byte) (process, bool) {
	fd, err := unix.Open("/proc/"+name+"/stat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return process{}, false
	}
	n, err := unix.Read(fd, buf)
	_ = unix.Close(fd)
	if err != nil || n <= 0 {
		return process{}, false
	}
	return parseStat(buf[:n])
}

// parseStat reads a line of /proc/PID/stat. The name is the process's own choice and may hold
// anything, so the fields are counted from its last parenthesis.
func parseStat(line []byte) (process, bool) {
	open, shut := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 1 || shut < open {
		return process{}, false
	}
	f := bytes.Fields(line[shut+1:])
	if len(f) < 20 {
		return process{}, false
	}
	number := func(b []byte) int64 {
		n, _ := strconv.ParseInt(string(b), 10, 64)
		return n
	}
	ticks := number(f[11]) + number(f[12]) + number(f[13]) + number(f[14])
	return process{
		pid: int(number(bytes.TrimSpace(line[:open]))), ppid: int(number(f[1])),
		pgid: int(number(f[2])), sid: int(number(f[3])),
		started: uint64(number(f[19])),
		cpu:     time.Duration(ticks) * cpuTick,
	}, true
}

// startedAt is when a process began, in ticks since boot; 0 if it is gone.
func startedAt(pid int) uint64 {
	p, _ := readStat(strconv.Itoa(pid), make([]byte, 1024))
	return p.started
}
