package attempt

import (
	"context"
	"errors"
	"fmt"

	"autobuild/failure"
	"autobuild/state"
)

// drive lets the agent work, in the last attempt's session where that goes on, and no longer than
// its budgets last. What it has used up is recorded however it ends.
func (t *try) drive(ctx context.Context, job Job) (Outcome, error) {
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	meter := t.Meter
	if meter == nil {
		meter = new(Meter)
	}
	tab, err := meter.start(t.Budget, t.task.Spent, stop)
	if err != nil {
		t.stopped = err
		return Outcome{Claims: true}, nil
	}
	note := func(notes []string) {
		for _, text := range notes {
			t.report(state.Event{Type: state.Notice, Text: text})
		}
	}
	var lost state.Usage // by a first try that found no session
	job.Spent = func(cost float64, in, out int64) {
		note(tab.set(lost.Add(state.Usage{CostUSD: cost, InputTokens: in, OutputTokens: out})))
	}
	var why error
	job.MaxCost, why = tab.left()
	out, err := t.who.Agent.Run(inner, t.continueSession(job))
	if err == nil && out.Lost {
		t.notice("the session of the last attempt is not there any more; a new one begins")
		lost = used(out)
		out, err = t.who.Agent.Run(inner, job)
	}
	t.record.Usage = lost.Add(used(out))
	note(tab.close(t.record.Usage))
	switch cause := context.Cause(inner); {
	case ctx.Err() != nil:
	case cause != nil && err != nil:
		t.stopped, err = cause, nil
		out.ExitCode, out.Signal = 0, "" // that is our doing
	case err == nil && out.Kind == "budget_exhausted":
		t.stopped, out.Kind, out.Message = why, "", ""
		out.ExitCode = 0
	}
	return out, err
}

// used is what an agent says that it has used up.
func used(out Outcome) state.Usage {
	return state.Usage{
		CostUSD: out.CostUSD, InputTokens: out.InputTokens,
		OutputTokens: out.OutputTokens,
	}
}

// broke ends an attempt whose agent was stopped at a budget before it had said its result. One that
// had is judged by it: it is paid for.
func (t *try) broke(ctx context.Context, out Outcome) error {
	if t.stopped == nil {
		return nil
	}
	if t.seen.Claim != nil && t.seen.Claim.Complete {
		t.record.Warnings = append(t.record.Warnings,
			"the agent had said its result when a budget ended: "+t.stopped.Error())
		return nil
	}
	if spent, ok := errors.AsType[*failure.Spent](t.stopped); ok {
		return spent
	}
	t.seen.Claim, t.seen.Budget = nil, t.stopped.Error()
	t.glance(ctx, out)
	return t.fail(ctx)
}

// continueSession makes of a job one that goes on with the session of the last attempt, where that
// is wanted and possible.
func (t *try) continueSession(job Job) Job {
	last, again := t.draft().Last()
	if !t.Continue || !again || t.task.Tier != "" || last.Tier != "" {
		return job
	}
	switch {
	case !t.who.Agent.Continues():
		t.notice(fmt.Sprintf("agent %s cannot go on with a session; a new one begins", t.who.Uses))
	case last.Agent != t.who.Uses:
		t.notice(fmt.Sprintf("the last attempt was agent %s's; %s begins a new session", last.Agent,
			t.who.Uses))
	case last.Session == "":
		t.notice("the last attempt left no session to go on with; a new one begins")
	case t.task.Fresh || !t.tree.Reused:
		t.notice(
			"the work of the last attempt was set aside, and its session with it; a new one begins")
	default:
		// what is left out was recorded with the job's own prompt
		p, _ := t.draft().WithoutContradictions()
		p.Continued = true
		job.Session, job.Prompt = last.Session, p.String()
		for i := len(t.task.Earlier) - 1; i >= 0 && t.task.Earlier[i].Session == last.Session; i-- {
			u := t.task.Earlier[i].Usage
			job.Past.CostUSD, job.Past.Input, job.Past.Output = job.Past.CostUSD+u.CostUSD,
				job.Past.Input+u.InputTokens, job.Past.Output+u.OutputTokens
		}
	}
	return job
}

func (t *try) notice(text string) { t.report(state.Event{Type: state.Notice, Text: text}) }
