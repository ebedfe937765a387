//go:build unix

package proc

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// supervisor is the near side of a supervising process. One that has served its child waits for the
// next.
type supervisor struct {
	cmd     *exec.Cmd
	conn    *os.File
	started uint64
}

// tree is a running child with all its descendants.
type tree struct {
	ended  chan outcome // gets one value, when nothing of it is left
	sup    *supervisor
	leader int
}

// start hands a launch to a supervisor, to one that waits or to a new one.
func (r *Runner) start(l launch) (*tree, error) {
	frame, err := l.encode()
	if err != nil {
		return nil, err
	}
	for {
		sup, fresh, err := r.supervisor()
		if err != nil {
			return nil, &machineryError{err}
		}
		rep, err := sup.ask(frame, &l, cmp.Or(r.begins, startPatience))
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, errTaken):
			// The child may be there and have stopped or killed it before it could say so.
			return &tree{ended: sup.lose(noSession), sup: sup, leader: noSession}, nil
		case err != nil && !fresh:
			sup.discard() // it was killed while it waited; the next one may live
			continue
		case err != nil:
			sup.discard()
			return nil, &machineryError{fmt.Errorf("start a child: %w", err)}
		case rep.kind == reportFailed:
			r.keep(sup)
			return nil, explainExec(syscall.Errno(rep.value), &l)
		}
		t := &tree{ended: make(chan outcome, 1), sup: sup, leader: int(rep.value)}
		go func() { t.ended <- t.wait(r) }()
		return t, nil
	}
}

func (r *Runner) supervisor() (sup *supervisor, fresh bool, err error) {
	r.mu.Lock()
	if n := len(r.idle); n > 0 {
		sup = r.idle[n-1]
		r.idle = r.idle[:n-1]
	}
	r.mu.Unlock()
	if sup != nil {
		return sup, false, nil
	}
	sup, err = newSupervisor(r.Exe)
	return sup, true, err
}

func (r *Runner) keep(sup *supervisor) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.idle = append(r.idle, sup)
}

// Close ends the supervisors that wait for a next child. A Runner may be used again afterwards;
// when the program ends they end by themselves.
func (r *Runner) Close() {
	r.mu.Lock()
	idle := r.idle
	r.idle = nil
	r.mu.Unlock()
	for _, sup := range idle {
		closeQuietly(sup.conn)
	}
	for _, sup := range idle {
		sup.discard()
	}
}

// newSupervisor starts this program as a supervisor. It stays in our session, so that a child of
// ours outside the session can only be an orphan of a supervisor that died; its own group keeps the
// terminal's Ctrl-C away.
func newSupervisor(exe string) (*supervisor, error) {
	if exe == "" {
		var err error
		if exe, err = selfExe(); err != nil {
			return nil, fmt.Errorf("find this program: %w", err)
		}
	}
	adopt()
	fds, err := socketpair()
	if err != nil {
		return nil, fmt.Errorf("open a socket: %w", err)
	}
	far := os.NewFile(uintptr(fds[1]), "supervisor")
	defer closeQuietly(far)
	if err := unix.SetNonblock(fds[0], true); err != nil {
		_ = unix.Close(fds[0])
		return nil, fmt.Errorf("open a socket: %w", err)
	}
	sup := &supervisor{conn: os.NewFile(uintptr(fds[0]), "supervisor")}
	sup.cmd = &exec.Cmd{
		Path: exe, Args: []string{"autobuild", supervisorWord}, Dir: "/",
		ExtraFiles:  []*os.File{far},
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}
	if err := unstopped(sup.cmd.Start); err != nil {
		closeQuietly(sup.conn)
		return nil, fmt.Errorf("start %s: %w", exe, err)
	}
	sup.started = startedAt(sup.cmd.Process.Pid)
	return sup, nil
}

// ask sends a launch and waits for the child to be there, no longer than patience: a child can stop
// its supervisor before that has spoken.
func (s *supervisor) ask(frame []byte, l *launch, patience time.Duration) (report, error) {
	over := make(chan struct{})
	timer := time.AfterFunc(patience, func() {
		_ = s.conn.SetDeadline(time.Unix(1, 0)) // a time in the past: pending I/O fails now
		close(over)
	})
	rep, err := s.exchange(frame, l)
	if !timer.Stop() {
		<-over
		err = errors.Join(err, s.conn.SetDeadline(time.Time{}))
	}
	return rep, err
}

// errTaken says that a supervisor has taken a launch and has not lived to say what became of it.
var errTaken = errors.New("it died while it started a child")

func (s *supervisor) exchange(frame []byte, l *launch) (report, error) {
	if err := s.send(frame, l); err != nil {
		return report{}, err
	}
	rep, err := s.listen()
	if err != nil || rep.kind != reportTaken {
		return rep, err
	}
	if rep, err = s.listen(); err != nil {
		err = errors.Join(errTaken, err)
	}
	return rep, err
}

// noSession marks a child whose session its supervisor never reported.
const noSession = -1

// lose ends a supervisor that cannot be reached, and all its descendants. If the supervisor ends
// first, its descendants are ours: the kernel gives orphans to the next subreaper above, which is
// this process.
func (s *supervisor) lose(session int) chan outcome {
	group := cgroupOf(s.cmd.Process.Pid, s.started)
	_ = s.cmd.Process.Kill() // a broken conversation is as good as a dead supervisor
	s.discard()
	group.kill()
	ended := make(chan outcome, 1)
	ended <- outcome{code: -1, lost: true, left: sweepOrphans(session, s.started)}
	group.remove()
	return ended
}

func (s *supervisor) send(frame []byte, l *launch) error {
	var fds []int
	for _, f := range l.files {
		fds = append(fds, int(f.Fd()))
	}
	if l.hold != nil {
		fds = append(fds, int(l.hold.Fd()))
	}
	raw, err := s.conn.SyscallConn()
	if err != nil {
		return fmt.Errorf("supervisor's socket: %w", err)
	}
	var sent error
	err = raw.Write(func(fd uintptr) bool {
		sent = unix.Sendmsg(int(fd), frame[:1], unix.UnixRights(fds...), nil, 0)
		return !errors.Is(sent, unix.EAGAIN)
	})
	if err = errors.Join(err, sent); err != nil {
		return fmt.Errorf("send to the supervisor: %w", err)
	}
	if _, err := s.conn.Write(frame[1:]); err != nil {
		return fmt.Errorf("send to the supervisor: %w", err)
	}
	return nil
}

func (s *supervisor) listen() (report, error) {
	b := make([]byte, reportSize)
	if _, err := io.ReadFull(s.conn, b); err != nil {
		return report{}, fmt.Errorf("hear from the supervisor: %w", err)
	}
	return decodeReport(b), nil
}

// discard ends a supervisor and forgets it.
func (s *supervisor) discard() {
	closeQuietly(s.conn)
	_ = s.cmd.Wait() // its status means nothing
}

// wait waits for the end of the tree.
func (t *tree) wait(r *Runner) outcome {
	rep, err := t.sup.listen()
	if err != nil {
		return <-t.sup.lose(t.leader)
	}
	status := syscall.WaitStatus(rep.value)
	out := outcome{code: status.ExitStatus(), cpu: rep.cpu, left: int(rep.left)}
	if status.Signaled() {
		out.code, out.signal = -1, unix.SignalName(status.Signal())
	}
	if out.left == 0 {
		r.keep(t.sup)
	} else {
		t.sup.discard()
	}
	return out
}

// signal sends a request to the supervisor. If it is gone, wait returns already.
func (t *tree) signal(r request) { _, _ = t.sup.conn.Write([]byte{byte(r)}) }

// abandon gives up a supervisor that does not answer, a stopped one for instance.
func (t *tree) abandon() { _ = t.sup.cmd.Process.Kill() }

// cpu is the processor time of the tree so far. It is good for differences only: the supervisor's
// share includes children that it served before.
func (t *tree) cpu() (time.Duration, bool) {
	all, err := processes()
	if err != nil {
		return 0, false
	}
	root := t.sup.cmd.Process.Pid
	var sum time.Duration
	for _, p := range all {
		if p.pid == root {
			sum += p.cpu
		}
	}
	for _, p := range descendants(all, root, t.leader) {
		sum += p.cpu
	}
	return sum, true
}

// sweepOrphans kills the processes that a dead supervisor left: those in the child's session, and
// all our children in foreign sessions that began after the supervisor did.
func sweepOrphans(session int, since uint64) int {
	self := unix.Getpid()
	own, err := unix.Getsid(0)
	if err != nil {
		own = self
	}
	deadline := time.After(sweepPatience)
	for wait := 500 * time.Microsecond; ; wait = min(2*wait, 50*time.Millisecond) {
		all, err := processes()
		if err != nil {
			if session > 0 {
				_ = unix.Kill(-session, unix.SIGKILL)
			}
			return 0
		}
		left := descendants(all, -1, session)
		for _, p := range all {
			if p.ppid != self || p.sid == own || p.started < since {
				continue
			}
			left = append(left, p)
			left = append(left, descendants(all, p.pid, session)...)
			_, _ = unix.Wait4(p.pid, nil, unix.WNOHANG, nil) // ours to reap, if it is dead
		}
		if len(left) == 0 {
			return 0
		}
		killGroups(left)
		select {
		case <-time.After(wait):
		case <-deadline:
			return len(left)
		}
	}
}
