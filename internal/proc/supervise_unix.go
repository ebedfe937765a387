//go:build unix

package proc

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	supervisorWord = "supervise-a-child" // the first argument of a supervisor, and its only one
	lifeline       = 3                   // the supervisor's end of the socket
	sweepPatience  = 5 * time.Second     // for processes to die after SIGKILL
)

// Supervise makes this process a supervisor if it was started as one, and then does not return.
// Every program that uses a Runner calls it first of all, before anything expensive; so does
// TestMain.
func Supervise() {
	if len(os.Args) != 2 || os.Args[1] != supervisorWord {
		return
	}
	var st unix.Stat_t
	if err := unix.Fstat(lifeline, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		fmt.Fprintln(os.Stderr, "autobuild: this is how it starts its own supervisors; it is not for use by hand")
		os.Exit(2)
	}
	supervise()
	syscall.Exit(0) // without exit hooks, which a race-enabled program spends a second in
}

// supervise serves one child after the other until the lifeline ends. The main goroutine keeps its
// thread, because a child's parent-death signal is bound to the thread that forked it.
func supervise() {
	runtime.LockOSThread()
	closeOnExec()
	adopt()
	letStopIn()
	// Handled signals are reset by exec, ignored ones would be inherited. They also say that a
	// supervisor ends with its lifeline and by nothing milder than SIGKILL.
	signal.Notify(make(chan os.Signal, 1), unix.SIGHUP, unix.SIGINT, unix.SIGTERM, unix.SIGQUIT, unix.SIGPIPE,
		unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU, unix.SIGCONT, unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM)
	s := &server{
		in:     &inbox{fd: lifeline, launches: make(chan launch), signals: make(chan request)},
		deaths: make(chan os.Signal, 1),
	}
	signal.Notify(s.deaths, unix.SIGCHLD)
	group := enterCgroup()
	defer group.leave()
	go s.in.read()
	for {
		select {
		case l, ok := <-s.in.launches:
			if !ok || !s.serve(l) {
				return
			}
		case <-s.in.signals: // for a child that has just ended
		case <-s.deaths:
		}
	}
}

// server is the supervisor's side of one child after the other.
type server struct {
	in     *inbox
	deaths chan os.Signal

	leader int
	status syscall.WaitStatus
	ended  bool
	cpu    time.Duration
}

// serve runs one child, and reports whether the supervisor may go on.
func (s *server) serve(l launch) bool {
	if !s.report(report{kind: reportTaken}) {
		return false
	}
	pid, err := l.fork()
	for _, f := range l.files {
		closeQuietly(f)
	}
	if err != nil {
		closeQuietly(l.hold)
		errno, ok := errors.AsType[syscall.Errno](err)
		if !ok {
			errno = unix.EINVAL
		}
		return s.report(report{kind: reportFailed, value: uint32(errno)})
	}
	s.leader, s.ended, s.status, s.cpu = pid, false, 0, 0
	alive := s.report(report{kind: reportStarted, value: uint32(pid)}) && s.await()
	left := s.sweep()
	closeQuietly(l.hold)
	return alive && s.report(report{kind: reportEnded, value: uint32(s.status), cpu: s.cpu, left: uint32(left)}) && left == 0
}

// fork starts the child as the leader of its own session: no terminal can reach it, nor stop it.
func (l *launch) fork() (int, error) {
	pid, err := syscall.ForkExec(l.path, l.argv, &syscall.ProcAttr{
		Dir:   l.dir,
		Env:   l.env,
		Files: []uintptr{l.files[0].Fd(), l.files[1].Fd(), l.files[2].Fd()},
		Sys:   childAttr(),
	})
	if err != nil {
		return 0, fmt.Errorf("fork: %w", err)
	}
	return pid, nil
}

func (s *server) report(r report) bool {
	b := r.encode()
	for len(b) > 0 {
		n, err := unix.Write(lifeline, b)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return false
		}
		b = b[n:]
	}
	return true
}

// await passes signals on until the child has ended. It returns false when the lifeline is gone.
func (s *server) await() bool {
	for {
		if leaderDead(s.leader) {
			return true
		}
		if s.reap(); s.ended {
			return true
		}
		select {
		case _, ok := <-s.in.launches:
			if !ok {
				return false
			}
		case <-s.deaths:
		case r := <-s.in.signals:
			switch r {
			case terminate:
				s.tell(unix.SIGTERM)
			case interrupt:
				s.tell(unix.SIGINT)
			case kill:
				return true
			}
		}
	}
}

// tell signals the child's group. It also wakes a stopped process, which would not receive the
// signal.
func (s *server) tell(sig unix.Signal) {
	_ = unix.Kill(-s.leader, sig) // ended meanwhile: the loop finds out
	_ = unix.Kill(-s.leader, unix.SIGCONT)
}

// reap collects the dead, adopted ones included, and reports whether there is any child left.
func (s *server) reap() (children bool) {
	for {
		var status unix.WaitStatus
		var usage unix.Rusage
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, &usage)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return false
		case pid == 0:
			return true
		}
		s.cpu += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
		if pid == s.leader {
			s.status, s.ended = syscall.WaitStatus(status), true
		}
	}
}

// sweep kills everything that the child left and waits for its end; it returns how many live on.
// The group is killed while its dead leader still keeps the number from being given to someone
// else. Killing a parent makes its children ours, so it takes rounds.
func (s *server) sweep() int {
	_ = unix.Kill(-s.leader, unix.SIGKILL)
	if !s.reap() && orphansAreOurs {
		return 0
	}
	deadline := time.After(sweepPatience)
	for wait := 200 * time.Microsecond; ; wait = min(2*wait, 50*time.Millisecond) {
		left := members(unix.Getpid(), s.leader)
		killGroups(left)
		select {
		case <-s.deaths:
		case <-time.After(wait):
		case <-deadline:
			return max(1, len(left))
		}
		if children := s.reap(); !children && (orphansAreOurs || len(left) == 0) {
			return 0
		}
	}
}

// killGroups kills whole groups at once: a process that forks faster than it can be listed does not
// escape, because its group cannot.
func killGroups(list []process) {
	done := map[int]bool{}
	for _, p := range list {
		if !done[p.pgid] {
			done[p.pgid] = true
			_ = unix.Kill(-p.pgid, unix.SIGKILL)
		}
		_ = unix.Kill(p.pid, unix.SIGKILL) // it may have changed its group since
	}
}

// members lists the descendants of root, and the processes in the given session.
func members(root, session int) []process {
	all, err := processes()
	if err != nil {
		return nil
	}
	return descendants(all, root, session)
}

func descendants(all []process, root, session int) []process {
	children := map[int][]process{}
	for _, p := range all {
		children[p.ppid] = append(children[p.ppid], p)
	}
	taken := map[int]bool{root: true}
	var out []process
	take := func(list []process) {
		for _, p := range list {
			if !taken[p.pid] {
				taken[p.pid] = true
				out = append(out, p)
			}
		}
	}
	take(children[root])
	for _, p := range all {
		if p.sid == session {
			take([]process{p})
		}
	}
	for i := 0; i < len(out); i++ { //nolint:intrange // out grows on the way: children have children
		take(children[out[i].pid])
	}
	return out
}
