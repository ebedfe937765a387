package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// Output runs a short, trusted command, git for instance, and returns its stdout. It has no
// supervisor and therefore starts fast. Its group is signalled at ctx's end, Timeout or Kill, when
// it waits for a named pipe (Linux), and when this program is killed (Linux). A daemon that it
// leaves behind is not looked for. It keeps Hold open itself. stderr ends up in Exit.Tail; Log,
// Stdout, Activity and Idle are not used. More than limit bytes (0: DefaultOutput) are
// ErrOutputLimit, with what fitted.
func (r *Runner) Output(ctx context.Context, c Command, limit int64) ([]byte, Exit, error) {
	if e, over := r.over(ctx); over {
		return nil, e, nil
	}
	l, err := c.prepare()
	if err == nil {
		err = r.step(Before, &c)
	}
	if err != nil {
		return nil, Exit{Code: -1}, err
	}
	if limit <= 0 {
		limit = DefaultOutput
	}
	out := &bounded{limit: limit}
	diag := newSink(nil, 0, r.Secrets)
	cmd := &exec.Cmd{
		Path: l.path, Args: l.argv, Dir: l.dir, Env: append([]string{}, l.env...),
		Stdin: c.Stdin, Stdout: out, Stderr: diag, WaitDelay: c.grace(), SysProcAttr: directAttr(),
	}
	if r.Hold != nil {
		cmd.ExtraFiles = directHold(r.Hold)
	}
	closeOnExec()
	began := r.now()
	if err = startDirect(cmd.Start); err != nil {
		return nil, Exit{Code: -1}, c.startError(explainStart(err, &l))
	}
	exited, watched := make(chan struct{}), make(chan Exit)
	go func() { watched <- r.watchDirect(ctx, &c, cmd, exited) }()
	err = cmd.Wait()
	close(exited)
	e := <-watched
	e.Duration = max(0, r.now().Sub(began))
	if e.Ended != Exited || errors.Is(err, exec.ErrWaitDelay) {
		killDirect(cmd) // processes of its group may be left
	}
	if cmd.ProcessState != nil {
		e.Code, e.Signal = cmd.ProcessState.ExitCode(), signalOf(cmd.ProcessState)
		e.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	if cerr := diag.close(&e); cerr != nil {
		return nil, e, cerr
	}
	if serr := r.step(After, &c); serr != nil {
		return nil, e, serr
	}
	if out.over {
		return out.buf.Bytes(), e, fmt.Errorf("%s: %w: more than %d bytes",
			Clean(c.Argv[0], LineSize), ErrOutputLimit, limit)
	}
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed &&
		!errors.Is(err, exec.ErrWaitDelay) && e.Code != 0 {
		return out.buf.Bytes(), e, fmt.Errorf("run %s: %w", Clean(c.Argv[0], LineSize), err)
	}
	return out.buf.Bytes(), e, nil
}

// watchDirect stops the command when it must, and says why it ended.
func (r *Runner) watchDirect(ctx context.Context, c *Command, cmd *exec.Cmd,
	exited <-chan struct{},
) Exit {
	var deadline <-chan time.Time
	if c.Timeout > 0 {
		deadline = time.After(c.Timeout)
	}
	looks := time.NewTicker(blockedEvery)
	defer looks.Stop()
	var e Exit
	before := ""
	for e.Ended == "" {
		select {
		case <-exited:
			return Exit{Ended: Exited}
		case <-r.Kill:
			killDirect(cmd)
			return Exit{Ended: Killed}
		case <-ctx.Done():
			e.Ended = Stopped
		case <-deadline:
			e.Ended = Timeout
		case <-looks.C:
			now := blockedOn(cmd.Process.Pid)
			if now != "" && now == before {
				e.Ended, e.Blocked = Blocked, now
			}
			before = now
		}
	}
	stopDirect(cmd, c.Interrupt)
	select {
	case <-exited:
		return e
	case <-r.Kill:
	case <-time.After(c.grace()):
	}
	killDirect(cmd)
	return e
}

// blockedEvery is how often Output looks whether its command waits for a FIFO. Two looks in a row
// that find it waiting for the same one end the command.
const blockedEvery = 300 * time.Millisecond

// bounded keeps the first bytes and refuses the rest, which ends the writer by a broken pipe.
type bounded struct {
	buf   bytes.Buffer
	limit int64
	over  bool
}

// Write keeps what fits.
func (b *bounded) Write(p []byte) (int, error) {
	if room := b.limit - int64(b.buf.Len()); int64(len(p)) > room {
		b.over = true
		n, _ := b.buf.Write(p[:room]) // a bytes.Buffer has no errors
		return n, ErrOutputLimit
	}
	n, _ := b.buf.Write(p)
	return n, nil
}
