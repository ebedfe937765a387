package proc

import (
	"bufio"
	"context"
	"io"
	"os/exec"
	"time"
)

// Coprocess is a short, trusted command that stays and answers one request after the other, git
// cat-file --batch for instance. It ends at the end of its stdin, and so with this program. One
// goroutine may use it at a time.
type Coprocess struct {
	command Command
	cmd     *exec.Cmd
	run     *Runner
	in      io.WriteCloser
	stdout  io.ReadCloser
	out     *bufio.Reader
	stderr  *sink
}

// Coprocess starts a command as Output does, with this program at the other end of its stdin and
// stdout. Of c, Argv, Dir, Env, Timeout and Grace are used; Timeout bounds each request.
func (r *Runner) Coprocess(c Command) (*Coprocess, error) {
	l, err := c.prepare()
	if err == nil {
		err = r.step(Before, &c)
	}
	if err != nil {
		return nil, err
	}
	p := &Coprocess{command: c, run: r, stderr: newSink(nil, 0, r.Secrets)}
	p.cmd = &exec.Cmd{
		Path: l.path, Args: l.argv, Dir: l.dir, Env: append([]string{}, l.env...),
		Stderr: p.stderr, WaitDelay: c.grace(), SysProcAttr: directAttr(),
	}
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, c.startError(err)
	}
	if p.stdout, err = p.cmd.StdoutPipe(); err != nil {
		return nil, c.startError(err)
	}
	p.out = bufio.NewReaderSize(p.stdout, 1<<16)
	closeOnExec()
	if err = startDirect(p.cmd.Start); err != nil {
		return nil, c.startError(explainStart(err, &l))
	}
	return p, nil
}

// Ask makes one exchange: a request is written and its answer is read. It is bounded as Output is:
// by ctx, the command's Timeout, Kill, and the look for named pipes. An exchange that is cut off or
// fails ends the command; Exit then gives the reason, and its Ended is Exited where the exchange
// itself failed.
func (r *Runner) Ask(
	ctx context.Context, p *Coprocess, exchange func(io.Writer, *bufio.Reader) error,
) (Exit, error) {
	if e, over := r.over(ctx); over {
		return e, nil
	}
	answered := make(chan struct{})
	var err error
	go func() {
		defer close(answered)
		err = exchange(p.in, p.out)
	}()
	e := r.watchDirect(ctx, &p.command, p.cmd, answered)
	<-answered
	if err == nil && e.Ended == Exited {
		return e, nil
	}
	return r.end(p, e), err
}

// Close ends the command.
func (p *Coprocess) Close() { p.run.end(p, Exit{Ended: Exited}) }

// end closes the command's streams, waits for its end, and completes an Exit.
func (r *Runner) end(p *Coprocess, e Exit) Exit {
	_, _ = p.in.Close(), p.stdout.Close() // either ends it
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = p.cmd.Wait() // an Exit says how it ended
	}()
	select {
	case <-ended:
	case <-time.After(p.command.grace()):
		killDirect(p.cmd)
		<-ended
	}
	if p.cmd.ProcessState != nil {
		e.Code, e.Signal = p.cmd.ProcessState.ExitCode(), signalOf(p.cmd.ProcessState)
	}
	_ = p.stderr.close(&e) // it has no log
	_ = r.step(After, &p.command)
	return e
}
