package orchestrator

import (
	"testing"
	"time"

	"autobuild/failure"
	"autobuild/orchestrator/plantest"
	"autobuild/state"
)

// The attempt of a tier counts for the account of the tier's own agent, and no other agent makes
// it.
func TestLimitOfTier(t *testing.T) {
	p := plantest.New(t, "1")
	o := Options{Agents: [][]Agent{{{"claude", "a"}, {"codex", "b"}}}, Tiers: map[string]Agent{"opus": {"strong", "c"}}}
	run := runOf(t, p, map[string]word{"1": decided(1, failure.Decision{Action: failure.Escalate, To: "opus"})})
	run.Phases[0].Limits = []state.Limit{{Account: "a", Met: noon, Until: noon.Add(time.Hour), Waits: 1}}
	if got := Next(p, run, o, noon); len(got) != 1 || got[0].Kind != Start || got[0].Agent != (Agent{"strong", "c"}) {
		t.Errorf("after an escalation: %+v", got)
	}
	run.Phases[0].Limits[0].Account = "c"
	if got := Next(p, run, o, noon); len(got) != 1 || got[0].Kind != Sleep || !got[0].Until.Equal(noon.Add(time.Hour)) {
		t.Errorf("the tier is limited: %+v", got)
	}
}
