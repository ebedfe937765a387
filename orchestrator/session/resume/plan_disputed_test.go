package resume

import (
	"testing"

	"autobuild/orchestrator"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/spec"
	"autobuild/plan"
	"autobuild/plan/markdown"
	"autobuild/state"
)

// A resume doubts what an agent can have made of the plan, until the user says that it is theirs.
func TestPlanDisputed(t *testing.T) {
	read := func(text string) *plan.Plan {
		p, err := markdown.Parse("plan.md", []byte(text), markdown.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	const text = "## Phase 1: Walls\n\n- [ ] build them\n\n## Phase 2: Roof\n\n- [ ] build it\n"
	was, ticked := read(text), read("## Phase 1: Walls\n\n- [x] build them\n\n## Phase 2: Roof\n\n- [ ] build it\n")
	dropped := read("## Phase 1: Walls\n\n- [ ] build them\n")
	asks := orchestrator.Fingerprint(was)
	for name, c := range map[string]struct {
		plan    *plan.Plan
		asks    string
		end     *state.End
		edited  bool
		doubted bool
	}{
		"an agent can have edited it":     {dropped, asks, &state.End{Disputed: true}, false, true},
		"the user says that it is theirs": {dropped, asks, &state.End{Disputed: true}, true, false},
		"it was put back":                 {was, asks, &state.End{Disputed: true}, false, false},
		"it has ticks":                    {ticked, asks, nil, false, false},
		"edited after the session":        {dropped, asks, &state.End{}, false, false},
		"the run was cut off":             {dropped, asks, nil, false, true},
		"no agent can write it":           {dropped, "", nil, false, false},
	} {
		r := Request{Call: &call.Call{}, Plan: c.plan, Spec: spec.RunSpec{
			Plan: spec.Plan{Name: "plan.md"}, Resume: spec.Resume{Asked: true, Edited: c.edited},
		}}
		run := &state.Run{Config: state.Config{PlanMeaning: c.asks}, End: c.end}
		if got := r.PlanDisputed(run); got != c.doubted {
			t.Errorf("%s: doubted = %t", name, got)
		}
	}
}
