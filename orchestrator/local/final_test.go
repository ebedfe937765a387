package local

import (
	"context"
	"errors"
	"testing"

	"autobuild/failure"
	"autobuild/orchestrator"
	"autobuild/orchestrator/plantest"
	"autobuild/state"
)

// The gates of the whole run when every phase is complete, and then alone; how they end decides how
// the run ends.
func TestFinalGates(t *testing.T) {
	gate := func(status state.GateStatus) []state.Gate { return []state.Gate{{Name: "whole", Status: status}} }
	broken := errors.New("no room")
	for name, c := range map[string]struct {
		failing  bool // a phase fails
		selected []bool
		final    func(cancel context.CancelCauseFunc) ([]state.Gate, error)
		ran      bool
		outcome  state.Outcome
	}{
		"passed":  {final: func(context.CancelCauseFunc) ([]state.Gate, error) { return gate(state.GatePassed), nil }, ran: true, outcome: state.Done},
		"failed":  {final: func(context.CancelCauseFunc) ([]state.Gate, error) { return gate(state.GateFailed), nil }, ran: true, outcome: state.Halted},
		"no tool": {final: func(context.CancelCauseFunc) ([]state.Gate, error) { return gate(state.GateNotAvailable), nil }, ran: true, outcome: state.Halted},
		"no room": {final: func(context.CancelCauseFunc) ([]state.Gate, error) { return nil, broken }, ran: true, outcome: state.Broken},
		"a panic": {final: func(context.CancelCauseFunc) ([]state.Gate, error) { panic("boom") }, ran: true, outcome: state.Broken},
		"stopped": {final: func(cancel context.CancelCauseFunc) ([]state.Gate, error) {
			cancel(&orchestrator.Interrupted{Signal: "SIGINT"})
			return nil, context.Canceled
		}, ran: true, outcome: state.Interrupted},
		"a part":     {selected: []bool{true, false}, outcome: state.Done},
		"no success": {failing: true, outcome: state.Halted},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			work := hand{}
			if c.failing {
				work["2"] = failsWith(failure.IsolationBreach)
			}
			o, run, ran := orchestra(plantest.New(t, "1", "2"), work), &state.Run{}, 0
			o.Options.Selected = c.selected
			o.Final = func(_ context.Context, _ bool, tell func(state.Event)) ([]state.Gate, error) {
				ran++
				tell(state.Event{Type: state.GateStarted, Gate: &state.Gate{Name: "whole"}})
				return c.final(cancel)
			}
			_ = o.Run(ctx, run, fresh())
			if run.End == nil || run.End.Outcome != c.outcome || ran > 1 || (ran == 1) != c.ran {
				t.Fatalf("ran %d times, end %+v; want %s", ran, run.End, c.outcome)
			}
			if unmet := len(run.End.Unmet()); (unmet > 0) != (c.outcome == state.Halted && !c.failing) {
				t.Errorf("%d gates not passed", unmet)
			}
		})
	}
}
