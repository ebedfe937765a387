package agent

import (
	"cmp"
	"context"
	"slices"
	"time"

	"autobuild/internal/proc"
)

// How long an agent of the protocol has after a request before signals stop it.
const (
	cancelGrace = 5 * time.Second // to end a turn that is cancelled
	closeGrace  = time.Second     // to end by itself after its stdin was closed
)

// ACPOptions configure an agent of the Agent Client Protocol. The zero value
// suits most.
type ACPOptions struct {
	Env  map[string]string // set in its environment
	Mode string            // the session mode to ask for; empty: the agent's own
	// the way to log in where the agent wants it; empty: by an API key, if it supports one
	Auth string
	// kinds of tools that are refused when it asks: read, edit, delete, move, search, execute,
	// fetch, other
	Deny []string
}

// acp is any agent of the protocol.
type acp struct {
	run  *proc.Runner
	name string
	argv []string
	opts ACPOptions
	// set in its environment where the user does not set them
	defaults map[string]string
	// reads its own record of its use, where it reports none; nil: it keeps none
	record recorder
	// reads its own log of its requests; nil: it keeps none
	journal journal
}

// ACP is an agent of the Agent Client Protocol, version 1, over its stdin and stdout: argv starts
// it in that mode, as in gemini --acp. Requests for permission are granted within the job's
// directory, changes of mode excepted.
func ACP(run *proc.Runner, name string, argv []string, opts ACPOptions) Agent {
	return talking(run, name, argv, opts, nil)
}

// talking is ACP with variables that are set where the job has none of them.
func talking(
	run *proc.Runner, name string, argv []string, opts ACPOptions, defaults map[string]string,
) Agent {
	return acp{
		run: run, name: name, argv: argv, opts: opts, defaults: defaults,
		record: recorderOf(argv[0]), journal: journalOf(argv[0]),
	}
}

// Name is the name that the agent was given.
func (a acp) Name() string { return a.name }

// Run holds one conversation. An ended ctx cancels the turn first, which leaves less behind than a
// signal.
func (a acp) Run(ctx context.Context, job Job) (Outcome, error) {
	out := Outcome{Claims: true, Model: job.Model}
	inner, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	v := voice{show: job.Activity}
	c := newTalk(a.opts, job, &story{
		out: &out, show: v.say, spent: job.Spent, final: ending{limit: maxFinal},
		stop: func() { cancel(errEnough) }, now: func() time.Time { return now(a.run) },
		files: filesOf(job),
	})
	c.s.began = c.s.look()
	defer c.out.close()
	defer c.stopTimer()
	unwatch := context.AfterFunc(ctx, c.cancel)
	defer unwatch()

	began := now(a.run)
	asked := func(session string) requests {
		if a.journal == nil {
			return requests{}
		}
		return a.journal(recording{
			job: job, env: fitted(job.Env, a.defaults, a.opts.Env), session: session, began: began,
		})
	}
	quiet := func(d time.Duration) {
		v.quiet(d)
		c.review(asked)
	}
	stream := lines{limit: maxLine, each: c.hear, dropped: c.tooLong}
	closeBooks := c.s.keep(ledgerOf(a.argv[0]), recording{
		job: job, env: fitted(job.Env, a.defaults, a.opts.Env), began: began,
	}, &c.mu)
	exit, err := start(inner, a.run, proc.Command{
		Argv: slices.Clone(a.argv), Dir: job.Dir, Env: fitted(job.Env, a.defaults, a.opts.Env),
		Stdin: c.out, Log: job.Log,
		Stdout: stream.write, Timeout: job.Timeout, Idle: job.Idle, Files: job.Dir, Quiet: quiet,
	}, &out)
	stream.close()
	closeBooks()
	if a.record != nil && ctx.Err() == nil {
		c.recorded(a.record(recording{
			ctx: ctx, run: a.run, job: job, env: fitted(job.Env, a.defaults, a.opts.Env),
			session: out.Session, program: a.argv[0], began: began,
		}))
	}
	if out.TimedOut && !c.ended {
		c.s.consult(asked(out.Session))
	}
	c.settle(exit)
	out.Remedy = remedy(a.argv[0], out)
	if ctx.Err() != nil {
		return out, cmp.Or(context.Cause(ctx), err)
	}
	return out, err
}
