package agent

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"autobuild/internal/proc"
)

// spec describes how a coding agent is driven.
type spec struct {
	name    string
	argv    []string // the program, and its subcommand
	options []option // its command-line options
	model   string   // the flag that stands before a model's name
	// the flag that stands before the working directory, where being in it is not enough
	dir  string
	last []string          // arguments after all others
	env  map[string]string // set where neither the user nor the job says otherwise
	// the flag that stands before what it may cost, in US dollars
	cap string
	// runs on Node, which loses what is still in a pipe when it exits
	spool bool
	// stops better by SIGINT than by SIGTERM: cleanly, or with its last figures
	interrupt bool
	reader    func() reader
	// it is talked to by the Agent Client Protocol, which takes the place of a reader; nil: it
	// prints
	talks *ACPOptions
	// arguments that say how hard to think; nil: it takes none
	effort    func(level string) []string
	costs     bool // it reckons what it costs
	uncounted bool // it counts no tokens
	// the flag that stands before a file in which it writes what it has used up
	usage string
	// reads its own record of its use, where its stream reports none; nil: it keeps none
	record recorder
	// reads its own log of its requests, where its stream says nothing of retries; nil: it keeps
	// none
	journal journal
	// Name, Program, Flags, Model and Sets aside, which follow from the rest
	about About
}

// option is a flag with its value. It is left out where the user's own arguments hold the flag, or
// one that means the same.
type option struct {
	args  []string
	rival []string
}

// cli is a coding agent with the user's additions.
type cli struct {
	run  *proc.Runner
	spec spec
	args []string
	env  map[string]string
}

// Name is the agent's name.
func (c cli) Name() string { return c.spec.name }

// Run runs the agent once, the prompt on its stdin.
func (c cli) Run(ctx context.Context, job Job) (Outcome, error) {
	out := Outcome{Claims: true, Model: job.Model}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r, v := c.spec.reader(), voice{show: job.Activity}
	s := &story{
		out: &out, show: v.say, spent: job.Spent, final: ending{limit: maxFinal},
		stop: func() { cancel(errEnough) }, now: func() time.Time { return now(c.run) },
		files: filesOf(job),
	}
	s.began = s.look()
	_, s.capped = c.capped(job)
	var mu sync.Mutex // guards s while the agent runs
	stream := lines{limit: maxLine, dropped: s.tooLong, each: func(line []byte) {
		mu.Lock()
		defer mu.Unlock()
		s.line(r, line)
	}}
	began := now(c.run)
	asked := func() requests {
		if c.spec.journal == nil {
			return requests{}
		}
		return c.spec.journal(recording{
			job: job, env: c.environ(job.Env), session: s.out.Session, began: began,
		})
	}
	quiet := func(d time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		v.quiet(d)
		s.review(asked())
	}
	books := ledgerOf(c.spec.argv[0])
	over := make(chan struct{})
	if !c.spec.interrupt || books != nil { // else its last figures come after it was asked to end
		s.spent = stingy(ctx, job.Spent, over)
	}
	closeBooks := s.keep(books, recording{
		job: job, env: c.environ(job.Env), began: began,
	}, &mu)
	exit, err := start(ctx, c.run, proc.Command{
		Argv: c.argv(job), Dir: job.Dir, Env: c.environ(job.Env),
		Stdin: strings.NewReader(job.Prompt),
		Log:   job.Log, Stdout: stream.write, Spool: c.spool(job), Interrupt: c.spec.interrupt,
		Timeout: job.Timeout, Idle: job.Idle, Files: job.Dir, Quiet: quiet, Done: s.rests.Load,
		Gone: s.gone.Load, Hurry: over,
	}, &out)
	stream.close()
	closeBooks()
	if out.TimedOut {
		s.consult(asked())
	}
	s.settle(r.end, exit)
	out.Remedy = remedy(c.spec.argv[0], out)
	c.bill(job, s)
	return out, err
}

// spool is where a file takes its output; empty: a pipe does.
func (c cli) spool(job Job) string {
	if !c.spec.spool {
		return ""
	}
	return job.Scratch
}

// argv is the command line: ours, then the user's, so that theirs wins where the last one does.
func (c cli) argv(job Job) []string {
	argv := slices.Clone(c.spec.argv)
	for _, o := range c.spec.options {
		given := slices.ContainsFunc(o.rival, c.given) || !repeatable(o) && c.given(o.args[0])
		if !given {
			argv = append(argv, o.args...)
		}
	}
	if c.spec.dir != "" && job.Dir != "" {
		argv = append(argv, c.spec.dir, job.Dir)
	}
	argv = append(argv, c.args...)
	if c.spec.model != "" && job.Model != "" && !c.given(c.spec.model) {
		argv = append(argv, c.spec.model, job.Model)
	}
	limit, _ := c.capped(job)
	return slices.Concat(argv, limit, c.usageFile(job), c.spec.last)
}

// repeatable reports whether the flag may be given many times: codex's -c names one setting each
// time.
func repeatable(o option) bool { return o.args[0] == "-c" }

// given reports whether the user's arguments hold the flag.
func (c cli) given(flag string) bool {
	return slices.ContainsFunc(c.args, func(arg string) bool {
		return arg == flag || strings.HasPrefix(arg, flag+"=")
	})
}

// environ is the job's environment, with what the agent needs where the user does not set it.
func (c cli) environ(env []string) []string {
	return fitted(env, c.spec.env, c.env)
}

// fitted is env with variables set, and with defaults where env has none.
func fitted(env []string, defaults, set map[string]string) []string {
	more := make(map[string]string, len(defaults)+len(set))
	for name, value := range defaults {
		if !slices.ContainsFunc(env,
			func(entry string) bool { return strings.HasPrefix(entry, name+"=") }) {
			more[name] = value
		}
	}
	maps.Copy(more, set)
	return with(env, more)
}
