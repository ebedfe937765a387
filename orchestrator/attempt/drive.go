package attempt

import (
	"context"
	"errors"

	"autobuild/failure"
	"autobuild/state"
)

// drive lets the agent work, no longer than its budgets last. What it has used up is recorded however it ends.
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
	job.Spent = func(cost float64, in, out int64) {
		note(tab.set(state.Usage{CostUSD: cost, InputTokens: in, OutputTokens: out}))
	}
	var why error
	job.MaxCost, why = tab.left()
	out, err := t.who.Agent.Run(inner, job)
	t.record.Usage = used(out)
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

func (t *try) notice(text string) { t.report(state.Event{Type: state.Notice, Text: text}) }
