package proc

import (
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
	// for a look at processes and files, which a file system can hold up
	lookPatience = 10 * time.Second
	quietEvery   = time.Minute // interval of reports of silence
)

// request is a signal for the whole tree.
type request byte

const (
	terminate request = 'T'
	interrupt request = 'I'
	kill      request = 'K'
)

// outcome is the report of a tree at its end.
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

// Run runs the command to its end, and the end of all its descendants. Cancelling ctx stops it
// politely: a signal to its group, Grace, then SIGKILL for everything. The error is a *StartError,
// or reports a failure of this program's own machinery (a log that cannot be written, a process
// that cannot be killed); then the Exit is still valid. The child's own result is in the Exit
// alone.
func (r *Runner) Run(ctx context.Context, c Command) (Exit, error) {
	if e, over := r.over(ctx); over {
		return e, nil
	}
	l, err := c.prepare()
	if err == nil {
		err = r.confine(&c, &l)
	}
	if err == nil {
		err = r.step(Before, &c)
	}
	if err != nil {
		return Exit{Code: -1}, err
	}
	st, err := openStreams(&c, &l)
	if err != nil {
		return Exit{Code: -1}, err
	}
	l.hold = r.Hold
	began := r.now()
	r.count(1)
	t, err := r.start(l)
	st.closeChildEnds()
	if err != nil {
		r.count(-1)
		st.close()
		return Exit{Code: -1}, c.startError(err)
	}
	w := &watch{
		c: &c, tree: t, patience: r.patience, killed: r.Kill,
		sink:  newSink(c.Log, c.MaxLog, r.Secrets),
		sense: func() signs { return observe(t, c.Files) },
	}
	st.pump(w.sink, &c)
	out := w.loop(ctx)
	st.drain(out.left == 0 && !out.lost)

	e := Exit{
		Code: out.code, Signal: out.signal, CPU: out.cpu, Ended: w.ended,
		Duration: max(0, r.now().Sub(began)),
	}
	if out.lost {
		e.Code, e.Ended = -1, Lost
	} else if out.left == 0 {
		r.count(-1)
	}
	err = w.sink.close(&e)
	if out.left > 0 {
		err = errors.Join(err,
			fmt.Errorf("end %s: %d of its processes cannot be killed; look for them with ps",
				Clean(c.Argv[0], LineSize), out.left))
	}
	return e, errors.Join(err, r.step(After, &c))
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
			return launch{},
				c.startError(fmt.Errorf(
					"a NUL byte in the command, its directory or its environment: %w",
					syscall.EINVAL))
		}
	}
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return launch{}, c.startError(fmt.Errorf("find the working directory: %w", err))
	}
	path, err := Locate(c.Argv[0], dir, c.Env)
	if err != nil {
		return launch{}, c.startError(err)
	}
	env := c.Env
	if c.Dir != "" { // the inherited PWD names our directory, and some programs use it
		env = slices.DeleteFunc(slices.Clone(env),
			func(e string) bool { return strings.HasPrefix(e, "PWD=") })
		env = append(env, "PWD="+dir)
	}
	return launch{path: path, argv: c.Argv, dir: dir, env: env}, nil
}

// confine puts what limits the child in front of it.
func (r *Runner) confine(c *Command, l *launch) (err error) {
	if r.Confine == nil {
		return nil
	}
	if l.argv, err = r.Confine(l.path, *c); err != nil {
		return c.startError(fmt.Errorf("confine it: %w", err))
	}
	if l.path, err = Locate(l.argv[0], l.dir, l.env); err != nil {
		return c.startError(err)
	}
	return nil
}

func (c *Command) startError(err error) error {
	if _, ok := errors.AsType[*machineryError](err); ok {
		return err
	}
	return &StartError{Argv: c.Argv, Dir: c.Dir, Err: err}
}

// machineryError says that the supervisor, not the child, could not be started.
type machineryError struct{ err error }

func (e *machineryError) Error() string {
	text := "supervisor: " + e.err.Error()
	if noFiles(e.err) {
		text += "; raise `ulimit -n`, or lower --jobs"
	}
	return text
}
func (e *machineryError) Unwrap() error { return e.err }

// noFiles reports whether this process, or the system, has no room for another open file.
func noFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
