package proc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// How long the machinery itself may take before it is given up.
const (
	activityEvery = 250 * time.Millisecond
	startPatience = time.Minute     // for a supervisor to say that the child is there
	killPatience  = 8 * time.Second // for a supervisor to end its tree
	drainPatience = 2 * time.Second // for a pipe that something unkillable still holds
)

// request is a signal for the whole tree.
type request byte

const (
	terminate request = 'T'
	interrupt request = 'I'
	kill      request = 'K'
)

// outcome is what a tree says at its end.
type outcome struct {
	code   int
	signal string
	cpu    time.Duration
	left   int  // processes that could not be ended
	lost   bool // the supervisor died
}

// launch is a Command made definite: paths absolute, streams open.
type launch struct {
	path  string
	argv  []string
	dir   string
	env   []string
	files [3]*os.File
	hold  *os.File
}

// Run runs the command to its end, and the end of all that it started. Cancelling ctx stops it politely:
// a signal to its group, Grace, then SIGKILL for everything. The error is a *StartError, or
// tells that this program's own machinery failed (a log that cannot be written, a process that cannot be
// killed); then the Exit is still valid. How the child fared is in the Exit alone.
func (r *Runner) Run(ctx context.Context, c Command) (Exit, error) {
	if e, over := r.over(ctx); over {
		return e, nil
	}
	l, err := c.prepare()
	if err != nil {
		return Exit{Code: -1}, err
	}
	st, err := openStreams(&c, &l)
	if err != nil {
		return Exit{Code: -1}, err
	}
	l.hold = r.Hold
	began := r.now()
	t, err := r.start(l)
	st.closeChildEnds()
	if err != nil {
		st.close()
		return Exit{Code: -1}, c.startError(err)
	}
	w := &watch{c: &c, tree: t, patience: r.patience, killed: r.Kill, sink: newSink(c.Log, c.MaxLog, r.Secrets)}
	st.pump(w.sink, &c)
	out := w.loop(ctx)
	st.drain(out.left == 0 && !out.lost)

	e := Exit{Code: out.code, Signal: out.signal, CPU: out.cpu, Ended: w.ended, Duration: max(0, r.now().Sub(began))}
	if out.lost {
		e.Code, e.Ended = -1, Lost
	}
	err = w.sink.close(&e)
	if out.left > 0 {
		err = errors.Join(err, fmt.Errorf("end %s: %d of its processes cannot be killed; look for them with ps", Clean(c.Argv[0], LineSize), out.left))
	}
	return e, err
}

// over reports whether there is nothing to start any more.
func (r *Runner) over(ctx context.Context) (Exit, bool) {
	select {
	case <-r.Kill:
		return Exit{Code: -1, Ended: Killed}, true
	case <-ctx.Done():
		return Exit{Code: -1, Ended: Stopped}, true
	default:
		return Exit{}, false
	}
}

// prepare checks everything that can be wrong with a command before a process is spent on it.
func (c *Command) prepare() (launch, error) {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return launch{}, c.startError(errors.New("the command is empty"))
	}
	for _, list := range [][]string{c.Argv, c.Env, {c.Dir}} {
		if slices.ContainsFunc(list, func(s string) bool { return strings.ContainsRune(s, 0) }) {
			return launch{}, c.startError(fmt.Errorf("a NUL byte in the command, its directory or its environment: %w", syscall.EINVAL))
		}
	}
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return launch{}, c.startError(fmt.Errorf("find the working directory: %w", err))
	}
	path, err := locate(c.Argv[0], dir, c.Env)
	if err != nil {
		return launch{}, c.startError(err)
	}
	env := c.Env
	if c.Dir != "" { // ours names our directory, and some programs believe it
		env = slices.DeleteFunc(slices.Clone(env), func(e string) bool { return strings.HasPrefix(e, "PWD=") })
		env = append(env, "PWD="+dir)
	}
	return launch{path: path, argv: c.Argv, dir: dir, env: env}, nil
}

func (c *Command) startError(err error) error {
	if _, ok := errors.AsType[*machineryError](err); ok {
		return err
	}
	return &StartError{Argv: c.Argv, Dir: c.Dir, Err: err}
}

// machineryError says that the supervisor, not the child, could not be started.
type machineryError struct{ err error }

func (e *machineryError) Error() string { return "supervisor: " + e.err.Error() }
func (e *machineryError) Unwrap() error { return e.err }

// watch is one child being waited for: every reason to stop it meets in its loop.
type watch struct {
	c      *Command
	tree   *tree
	sink   *sink
	killed <-chan struct{}

	patience time.Duration

	ended   Ended
	force   <-chan time.Time // the grace is over
	giveUp  <-chan time.Time // the supervisor does not answer
	quiet   <-chan time.Time // the next activity line may be shown
	pending bool

	awake   time.Duration // since the start, suspended time left out
	beat    time.Duration
	last    time.Time     // of the last beat
	lively  time.Duration // awake time at the last sign of life
	looked  time.Duration // awake time at the last look at the tree's CPU time
	seen    int64
	treeCPU time.Duration
}

func (w *watch) loop(ctx context.Context) outcome {
	cancelled, killed := ctx.Done(), w.killed
	beat := w.startBeat()
	if beat != nil {
		defer beat.Stop()
	}
	var ticks <-chan time.Time
	if beat != nil {
		ticks = beat.C
	}
	for {
		select {
		case out := <-w.tree.ended:
			if w.ended == "" {
				w.ended = Exited
			}
			return out
		case <-cancelled:
			cancelled = nil
			w.stop(Stopped)
		case <-killed:
			killed = nil
			w.stop(Killed)
		case now := <-ticks:
			w.tick(now)
		case <-w.force:
			w.kill()
		case <-w.giveUp:
			w.giveUp = nil
			w.tree.abandon()
		case <-w.sink.nudge:
			w.pending = true
			w.show()
		case <-w.quiet:
			w.quiet = nil
			w.show()
		}
	}
}

// stop ends the child for the given reason. The first reason is the one that is told.
func (w *watch) stop(why Ended) {
	first := w.ended == ""
	if first {
		w.ended = why
	}
	switch {
	case why == Killed:
		w.kill()
	case first && w.c.Interrupt:
		w.tree.signal(interrupt)
	case first:
		w.tree.signal(terminate)
	}
	if first && why != Killed {
		w.force = time.After(w.c.grace())
	}
}

func (w *watch) kill() {
	w.force = nil
	w.tree.signal(kill)
	w.giveUp = time.After(cmp.Or(w.patience, killPatience))
}

func (w *watch) show() {
	if w.quiet != nil || !w.pending || w.c.Activity == nil {
		return
	}
	w.pending = false
	if line, fresh := w.sink.activity(); fresh {
		w.c.Activity(line)
		w.quiet = time.After(activityEvery)
	}
}

func (w *watch) startBeat() *time.Ticker {
	shortest := w.c.Timeout
	if w.c.Idle > 0 && (shortest <= 0 || w.c.Idle < shortest) {
		shortest = w.c.Idle
	}
	if shortest <= 0 {
		return nil
	}
	w.beat = min(max(shortest/20, 5*time.Millisecond), time.Second)
	return time.NewTicker(w.beat)
}

// tick counts awake time: a beat that comes late, because the machine or this program was suspended, counts
// as one that came on time, so that sleep spends no deadline.
func (w *watch) tick(now time.Time) {
	if w.last.IsZero() {
		w.last = now.Add(-w.beat)
	}
	w.awake += min(max(0, now.Sub(w.last)), 2*w.beat)
	w.last = now
	if w.ended != "" {
		return
	}
	if w.c.Timeout > 0 && w.awake >= w.c.Timeout {
		w.stop(Timeout)
		return
	}
	if w.c.Idle > 0 && w.idle() {
		w.stop(Idle)
	}
}

// idle looks for signs of life: output, or one per cent of a processor used by the tree. The tree is
// looked at four times in an idle period, and only when there was no output.
func (w *watch) idle() bool {
	if n := w.sink.seen(); n != w.seen {
		w.seen = n
		w.lively = w.awake
		return false
	}
	since := w.awake - w.looked
	if since < w.c.Idle/4 {
		return false
	}
	if cpu, ok := w.tree.cpu(); ok {
		w.looked = w.awake
		if used := (cpu - w.treeCPU).Abs(); used >= max(since/100, 2*cpuTick) {
			w.lively = w.awake
		}
		w.treeCPU = cpu
	}
	return w.awake-w.lively >= w.c.Idle
}
