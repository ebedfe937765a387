package local

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"autobuild/failure"
	"autobuild/orchestrator"
	"autobuild/orchestrator/plantest"
	"autobuild/state"
)

// overspent is a worker whose attempts all meet the end of the run's budget, after having cost
// something.
type overspent struct {
	cost  float64
	tasks []state.Task
}

func (o *overspent) try(_ context.Context, task state.Task, _ func(state.Event)) (state.Attempt, error) {
	o.tasks = append(o.tasks, task)
	a := state.Attempt{Usage: state.Usage{CostUSD: o.cost}}
	return a, &failure.Spent{Reason: "the cost budget is spent: $4.02 of $4.00"}
}

// TestSpent: the end of the run's budget fails no phase. The spending is kept, the attempt is not,
// and nothing else starts, even if the loop's own sum is below the budget. A resume includes the
// earlier spending of its phases.
func TestSpent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		work := &overspent{cost: 2}
		o := orchestra(plantest.New(t, "1", "2", "3"), work)
		o.Options = orchestrator.Options{Policy: o.Options.Policy, Jobs: 1, MaxCost: 100}
		var run state.Run
		err := o.Run(t.Context(), &run, fresh())
		stop, ok := errors.AsType[*orchestrator.StopError](err)
		if !ok || stop.Type != failure.BudgetExhausted || stop.Reason != "the cost budget is spent: $4.02 of $4.00" {
			t.Fatalf("Run = %v", err)
		}
		if got, want := statuses(&run), []state.Status{state.Pending, state.Pending, state.Pending}; !slices.Equal(got, want) || len(work.tasks) != 1 {
			t.Errorf("statuses %q after %d attempts, want %q", got, len(work.tasks), want)
		}
		if u := run.Totals().Usage; u.CostUSD != 2 || run.End.Outcome != state.Stopped {
			t.Errorf("usage %+v, end %+v", u, run.End)
		}

		if err := o.Run(t.Context(), &run, fresh()); err == nil || len(work.tasks) != 2 {
			t.Fatalf("%v after %d attempts", err, len(work.tasks))
		}
		if again := work.tasks[1]; again.Attempt != 1 || again.Spent.CostUSD != 2 {
			t.Errorf("attempt %d, spent %+v", again.Attempt, again.Spent)
		}
	})
}
