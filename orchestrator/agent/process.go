package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"autobuild/internal/proc"
)

// maxFinal bounds a final message, in bytes. A result stands at its end, so the end is kept.
const maxFinal = 1 << 20

var (
	// errKilled is returned where a child was killed and no context says why.
	errKilled = errors.New("killed together with the run")
	// errEnough is the cause when a reader stops its own agent. It is no interruption: the reader
	// has said why.
	errEnough = errors.New("its reader has stopped it")
)

// start runs a command and records how it ended. The last sign of life is left to callers: not for
// all it is a line of output.
func start(ctx context.Context, run *proc.Runner, c proc.Command, out *Outcome) (proc.Exit, error) {
	c.Env = unasked(c.Env)
	exit, err := run.Run(ctx, c)
	if failed, ok := errors.AsType[*proc.StartError](err); ok {
		out.ExitCode, out.Err = -1, failed.Error()
		if unrunnable(failed, c.Dir) {
			out.Kind, out.About = Unusable, AboutStart
		}
		return exit, nil
	}
	out.ExitCode, out.Signal, out.Duration = exit.Code, exit.Signal, exit.Duration
	out.Tail = exit.Tail
	out.Idle = exit.Ended == proc.Idle
	out.TimedOut = out.Idle || exit.Ended == proc.Timeout
	if exit.Ended == proc.Lingered { // its end is ours
		out.Lingered, exit.Code, exit.Signal = true, 0, ""
		out.ExitCode, out.Signal = 0, ""
	}
	if exit.Ended == proc.Lost {
		out.Message = "its supervisor was killed from outside, so it was ended too"
	}
	if err != nil {
		return exit, err
	}
	if exit.Ended != proc.Killed && exit.Ended != proc.Stopped ||
		errors.Is(context.Cause(ctx), errEnough) {
		return exit, nil
	}
	return exit, cmp.Or(context.Cause(ctx), errKilled)
}

// unrunnable reports whether a program would not start for any other phase either: it is gone, it
// may not be run, or it is made for another machine.
func unrunnable(err error, dir string) bool {
	if dir != "" {
		if _, gone := os.Stat(dir); gone != nil {
			return false // the directory is at fault
		}
	}
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) ||
		errors.Is(err, syscall.ENOEXEC)
}

// unasked adds variables that keep the tools of an agent from asking a person: git for a name and a
// password, ssh by way of a window, since there is no terminal. Variables that are set already
// stay.
func unasked(env []string) []string {
	more := make(map[string]string)
	for name, value := range map[string]string{
		"GIT_TERMINAL_PROMPT": "0",
		"SSH_ASKPASS_REQUIRE": "never",
	} {
		if !slices.ContainsFunc(env,
			func(entry string) bool { return strings.HasPrefix(entry, name+"=") }) {
			more[name] = value
		}
	}
	return with(env, more)
}

// voice reports signs of life of any goroutine, and how long there was none.
type voice struct {
	mu   sync.Mutex
	show func(line string, quiet time.Duration) // nil: signs of life are dropped
	last string
}

func (v *voice) say(words string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.tell(words, 0)
	v.last = words
}

// quiet says that there was no output for so many minutes, and repeats the last sign of life.
func (v *voice) quiet(d time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	silence := fmt.Sprintf("quiet for %dm", int(d.Minutes()))
	if v.last != "" {
		silence = proc.Clean(v.last, proc.LineSize-2*len(silence)) + " · " + silence
	}
	v.tell(silence, d)
}

func (v *voice) tell(line string, quiet time.Duration) {
	if v.show != nil {
		v.show(line, quiet)
	}
}

// filesOf gives a look at the job's working directory.
func filesOf(job Job) func() uint64 {
	if job.Dir == "" {
		return nil
	}
	return func() uint64 { return proc.Stamp(job.Dir) }
}

// now is the runner's clock, so that a program has one.
func now(run *proc.Runner) time.Time {
	if run.Now == nil {
		return time.Now()
	}
	return run.Now()
}

// ending keeps the last bytes of its input, at most limit and a little memory more.
type ending struct {
	limit int
	buf   []byte
	cut   bool
}

func (e *ending) write(p []byte) {
	if len(p) > e.limit {
		p, e.cut = p[len(p)-e.limit:], true
	}
	if len(e.buf)+len(p) > 2*e.limit { // moving once per limit bytes keeps writing linear
		e.buf, e.cut = append(e.buf[:0], e.buf[len(e.buf)-e.limit:]...), true
	}
	e.buf = append(e.buf, p...)
}

func (e *ending) reset() { e.buf, e.cut = e.buf[:0], false }

// String returns the kept text: valid UTF-8, and whole lines where something before them was
// dropped.
func (e *ending) String() string {
	text, cut := e.buf, e.cut
	if len(text) > e.limit {
		text, cut = text[len(text)-e.limit:], true
	}
	s := strings.ToValidUTF8(string(text), "\uFFFD")
	if cut {
		if _, rest, ok := strings.Cut(s, "\n"); ok {
			return rest
		}
	}
	return s
}
