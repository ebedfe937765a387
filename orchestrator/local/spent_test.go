package local

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"autobuild/failure"
	"autobuild/failure/policy"
	"autobuild/orchestrator/plantest"
	"autobuild/state"
)

// A phase that has used up its budget is not tried again; its usage is counted over its attempts,
// the last one included.
func TestPhaseLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		tried := map[string]int{}
		work := doer(func(_ context.Context, task state.Task) (state.Attempt, error) {
			mu.Lock()
			tried[task.Phase.ID]++
			mu.Unlock()
			return tested(9 - task.Attempt) // 11 tokens each
		})
		o := orchestra(plantest.New(t, "1", "2"), work)
		o.Options.Policy = whim{5, []failure.Decision{{Action: failure.Retry}}}
		o.Options.Policies = map[string]failure.Policy{"2": policy.Limited{Policy: o.Options.Policy, MaxTokens: 30}}
		var run state.Run
		if err := o.Run(t.Context(), &run, fresh()); err == nil {
			t.Fatal("the run is complete")
		}
		if tried["1"] != 5 || tried["2"] != 3 {
			t.Errorf("%v attempts; without a limit there are 5, and 30 tokens are used up in the third", tried)
		}
		if d := run.Phases[1].Attempts[2].Decision; d.Action != failure.Fail || d.Rule != "limit.tokens" {
			t.Errorf("%+v", d)
		}
	})
}
