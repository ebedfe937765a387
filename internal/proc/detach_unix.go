//go:build unix

package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// line is the descriptor on which a detached process reports to its starter.
const line = 3

// Detached is this program, started anew in a session of its own: no terminal reaches it and no
// parent's end ends it.
type Detached struct {
	// Line ends when the process closes it or is gone; the text before that reports its state.
	Line *os.File

	cmd *exec.Cmd
}

// Detach starts this program with args in a new session, its stdin the null device, in the working
// directory of this process. It writes to stdout and stderr until it calls Redirect. It does not
// pass on inherited descriptors, so that a process that waits for their end does not wait for the
// run.
func Detach(args, env []string, stdout, stderr *os.File) (*Detached, error) {
	exe, err := selfExe()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	near, far, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("open a pipe: %w", err)
	}
	defer closeQuietly(far)
	closeOnExec()
	d := &Detached{Line: near, cmd: &exec.Cmd{
		Path: exe, Args: append([]string{"autobuild"}, args...), Env: env,
		Stdout: stdout, Stderr: stderr, ExtraFiles: []*os.File{far},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}}
	if err := d.cmd.Start(); err != nil {
		closeQuietly(near)
		return nil, fmt.Errorf("start %s: %w", exe, err)
	}
	return d, nil
}

// Stop asks the process to end in order, or kills it.
func (d *Detached) Stop(now bool) {
	sig := unix.SIGTERM
	if now {
		sig = unix.SIGKILL
	}
	_ = d.cmd.Process.Signal(sig) // it may have ended: Wait reports that
}

// Wait waits for the process to end; for one that has not taken leave. After a signal the code is -1.
func (d *Detached) Wait() (code int, signal string, err error) {
	err = d.cmd.Wait()
	if _, ended := errors.AsType[*exec.ExitError](err); ended || err == nil {
		return d.cmd.ProcessState.ExitCode(), signalOf(d.cmd.ProcessState), nil
	}
	return -1, "", fmt.Errorf("wait for the detached process: %w", err)
}

// DetachedLine is the line to the process that started this one by Detach; nil where there is none.
func DetachedLine() *os.File {
	var st unix.Stat_t
	if err := unix.Fstat(line, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFIFO {
		return nil
	}
	unix.CloseOnExec(line)
	return os.NewFile(line, "the line to the caller")
}

// Redirect makes stdout and stderr of this process lead to a file, for every writer in it. It
// releases the terminal, or the starter's pipe.
func Redirect(to *os.File) error {
	for _, fd := range []int{unix.Stdout, unix.Stderr} {
		if err := replace(int(to.Fd()), fd); err != nil {
			return fmt.Errorf("redirect the output to %s: %w", to.Name(), err)
		}
	}
	return nil
}

// Terminate signals the process that has this identity, and no other one with its number: it is to
// end in order, or with now to end its children at once. A stopped process is woken. Errors:
// ErrGone; os.ErrPermission for another user's process.
func Terminate(ctx context.Context, pid int, identity string, now bool) error {
	// where the system can, this holds on to the process and not to its number
	p, err := os.FindProcess(pid)
	if err != nil {
		return ErrGone
	}
	defer p.Release() //nolint:errcheck // nothing is left to do for it
	if Identity(pid) != identity {
		return ErrGone
	}
	send := func(sig os.Signal) error {
		failed := p.Signal(sig)
		if errors.Is(failed, os.ErrProcessDone) || errors.Is(failed, unix.ESRCH) {
			return ErrGone
		}
		return failed
	}
	if err = send(unix.SIGTERM); err != nil {
		return err
	}
	_ = send(unix.SIGCONT) // it may have ended by now
	if !now {
		return nil
	}
	// Two signals that are pending at once are heard in the order of their numbers, and the first
	// says how the run ended.
	if err = pause(ctx, betweenSignals); err != nil {
		return err
	}
	_ = send(unix.SIGINT)
	return nil
}

// closeListed keeps the descriptors that a directory of the system's lists from children. It reads
// names only: a stat of an entry fails where it is a kernel queue, as the Go runtime has one, or is
// closed meanwhile.
func closeListed(dir string) {
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	defer closeQuietly(d)
	names, _ := d.Readdirnames(-1) // the entries read so far count
	for _, name := range names {
		if fd, err := strconv.Atoi(name); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}

// betweenSignals gives a process the time to receive the first of two signals first.
const betweenSignals = 100 * time.Millisecond

// pause waits, unless ctx ends before.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
