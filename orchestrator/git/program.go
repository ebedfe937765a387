// Package git holds every call of git: the process, references, objects, the index, and a private
// git directory, ScratchDir, in which work on content is done. No call runs a hook, a monitor, a
// filter or another program that the user's configuration did not name when the run began, and none
// waits for a terminal, the network or a named pipe. It does not know what a phase, a plan or a
// landing is; it knows trees, commits and refs.
package git

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"autobuild/internal/proc"
)

const (
	// of one call; the slowest is the checkout of a very large tree
	gitTimeout = 10 * time.Minute
	// bytes that one call may print
	gitOutput = 256 << 20
	nullPath  = os.DevNull
	// the name that git for Windows accepts too
	nullConfig = "/dev/null"
)

// pinnedSettings hold for every call on a real git directory, whose configuration an agent can
// write: no setting starts a program, and a ref that was written is on the disk.
var pinnedSettings = []string{
	"core.hooksPath=" + nullPath, "core.fsmonitor=false", "core.untrackedCache=false",
	"core.pager=cat", "core.editor=true",
	"diff.external=", "diff.ignoreSubmodules=dirty", "submodule.recurse=false", "core.fsync=all",
	"gc.auto=0", "maintenance.auto=false",
	// milliseconds: others work in the repository too
	"core.filesRefLockTimeout=1000", "core.packedRefsTimeout=5000",
	"commit.gpgSign=false", "log.showSignature=false", "core.quotePath=false",
	"advice.detachedHead=false",
}

// keptVariables are git's own variables that pass on to a call: users set them on purpose, and they
// lead a call to no other repository.
var keptVariables = []string{
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
	"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL",
}

// program runs git in an environment. It knows no repository.
type program struct {
	run     *proc.Runner
	path    string // of the program, as it was found at the start
	environ []string
	finish  time.Duration // how long an uninterrupted call may go on after the end of the run
}

func newProgram(run *proc.Runner, environ []string) program {
	path, err := proc.Locate("git", os.TempDir(), environ)
	if err != nil {
		path = "git" // its start says what is wrong
	}
	return program{run: run, path: path, environ: environ, finish: stopPatience}
}

// steady is a runner that a second Ctrl-C does not stop, for calls that must not be cut in half. It
// is made for each call, because Hold is set after the repository was found.
func (g program) steady() *proc.Runner {
	return &proc.Runner{
		Exe: g.run.Exe, Hold: g.run.Hold, Now: g.run.Now, Secrets: g.run.Secrets,
		Step: g.run.Step,
	}
}

// command is one command line of git.
type command struct {
	dir   string            // working directory
	env   map[string]string // added to the variables of every call
	args  []string
	stdin []byte
	ok    []int   // exit codes beside 0 that are no error
	said  *string // where set: receives the end of stderr of a successful call
}

// stopPatience is how long an uninterrupted call may go on after the end of the run.
const stopPatience = 10 * time.Second

// uninterrupted is a context that does not end with the run's context.
type uninterrupted struct {
	context.Context //nolint:containedctx // a context that is derived from another

	run context.Context //nolint:containedctx // as above
}

type runKey struct{}

// Value gives the run's context to calls.
func (u uninterrupted) Value(key any) any {
	if key == (runKey{}) {
		return u.run
	}
	return u.Context.Value(key)
}

// Uninterrupted is a context for work that must not be cut in half. It has no end of its own; a
// call of git in it goes on for at most ten seconds after the end of ctx.
func Uninterrupted(ctx context.Context) context.Context {
	if _, already := ctx.Value(runKey{}).(context.Context); already {
		return context.WithoutCancel(ctx)
	}
	return uninterrupted{Context: context.WithoutCancel(ctx), run: ctx}
}

// patient is the context of one call. In uninterrupted work it ends a given time after the run's.
func patient(ctx context.Context, finish time.Duration) (context.Context, context.CancelFunc) {
	run, ok := ctx.Value(runKey{}).(context.Context)
	if !ok || ctx.Done() != nil {
		return ctx, func() {}
	}
	late, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(run, func() {
		timer := time.AfterFunc(finish, func() { cancel(context.Cause(run)) })
		context.AfterFunc(late, func() { timer.Stop() })
	})
	return late, func() { stop(); cancel(nil) }
}

// do runs one command and gives its stdout and exit code. Its error is an *ExitError, a *PipeError,
// an *UnusableError where git cannot be started, or the cause of the context's end.
func (g program) do(ctx context.Context, c command) ([]byte, int, error) {
	run, ctx, done := g.runner(ctx)
	defer done()
	out, exit, err := run.Output(ctx, g.line(c), gitOutput)
	if err != nil {
		return nil, 0, startError(err)
	}
	if err = stopped(ctx, c, exit); err != nil {
		return nil, 0, err
	}
	if exit.Code == 0 {
		if c.said != nil {
			*c.said = exit.Tail
		}
		return out, 0, nil
	}
	for _, code := range c.ok {
		if exit.Code == code {
			return out, code, nil
		}
	}
	return out, exit.Code, &ExitError{Args: c.verb(), Code: exit.Code, Tail: exit.Tail}
}

// line is a command as it is run: with the program and its environment.
func (g program) line(c command) proc.Command {
	set := map[string]string{
		"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C",
		"GIT_LITERAL_PATHSPECS": "1",
		"GIT_EDITOR":            "true", "GIT_NO_REPLACE_OBJECTS": "1", "GIT_ADVICE": "0",
		// no program fetches anything
		"GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1",
		"GIT_TRACE2": "0", "GIT_TRACE2_EVENT": "0", "GIT_TRACE2_PERF": "0", "GIT_PAGER": "cat",
	}
	for _, name := range keptVariables {
		if v, ok := lookup(g.environ, name); ok {
			set[name] = v
		}
	}
	for k, v := range c.env {
		set[k] = v
	}
	cmd := proc.Command{
		Argv: append([]string{g.path}, c.args...), Dir: c.dir, Env: proc.Environ(g.environ, set),
		Timeout: gitTimeout,
	}
	if c.stdin != nil {
		cmd.Stdin = bytes.NewReader(c.stdin)
	}
	return cmd
}

// runner is the runner of one call, and the call's context.
func (g program) runner(ctx context.Context) (*proc.Runner, context.Context, context.CancelFunc) {
	run := g.run
	if ctx.Done() == nil {
		run = g.steady()
	}
	ctx, done := patient(ctx, g.finish)
	return run, ctx, done
}

// startError is the error of a git that cannot be started.
func startError(err error) error {
	if start, failed := errors.AsType[*proc.StartError](err); failed {
		return noGit(start)
	}
	return err // proc's errors name the command already
}

// stopped is the error of a git that did not exit by itself.
func stopped(ctx context.Context, c command, exit proc.Exit) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case exit.Ended == proc.Blocked:
		return &PipeError{Path: exit.Blocked}
	case exit.Ended != proc.Exited || exit.Signal != "":
		return &ExitError{Args: c.verb(), Tail: exit.Tail, Ended: ended(exit)}
	}
	return nil
}

// noGit says why git cannot be started.
func noGit(start *proc.StartError) error {
	cause, _, _ := strings.Cut(start.Err.Error(), ";")
	if info, err := os.Stat(start.Dir); err != nil || !info.IsDir() ||
		!errors.Is(start, fs.ErrNotExist) {
		// the error of proc names the next step
		return &UnusableError{What: "git cannot be started: " + start.Err.Error()}
	}
	return &UnusableError{
		What: "git cannot be started: " + cause,
		Next: "install git 2.38 or newer, and see that it is on PATH",
	}
}

// ended says by what a git was ended that did not exit.
func ended(exit proc.Exit) string {
	switch {
	case exit.Signal != "":
		return "by " + exit.Signal
	case exit.Ended == proc.Timeout:
		return "after " + gitTimeout.String()
	}
	return "before it was done (" + string(exit.Ended) + ")"
}

// verb is the command and its arguments, without settings.
func (c command) verb() []string {
	for i := 0; i < len(c.args); i++ {
		switch {
		case c.args[i] == "-c":
			i++
		case strings.HasPrefix(c.args[i], "-"):
		default:
			return c.args[i:]
		}
	}
	return c.args
}

// gitDirArgs are the arguments of a call on a real git directory.
func gitDirArgs(gitDir string, args ...string) []string {
	out := make([]string, 0, 2*len(pinnedSettings)+1+len(args))
	out = append(out, "--git-dir="+gitDir)
	for _, s := range pinnedSettings {
		out = append(out, "-c", s)
	}
	return append(out, args...)
}

// word is the output of a call without the line break at its end. Other line breaks stay: a path
// may hold one.
func word(out []byte) string { return strings.TrimSuffix(string(out), "\n") }

// SplitNUL splits a list of which each element ends with NUL, as git prints it with -z.
func SplitNUL(out []byte) []string {
	s := strings.TrimSuffix(string(out), "\x00")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\x00")
}

// JoinNUL is the list that SplitNUL splits.
func JoinNUL(paths []string) []byte {
	var b bytes.Buffer
	for _, p := range paths {
		b.WriteString(p)
		b.WriteByte(0)
	}
	return b.Bytes()
}

// lookup is the last value of a variable of an environment.
func lookup(environ []string, name string) (string, bool) {
	for i := len(environ) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(environ[i], name+"="); ok {
			return v, true
		}
	}
	return "", false
}
