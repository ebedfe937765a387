package verify

import (
	"testing"

	"autobuild/orchestrator/verify/referee"
	"autobuild/state"
)

// TestDoubt: a verdict from before a change of the environment was found is not reused, nor is that
// of a suite that was running then.
func TestDoubt(t *testing.T) {
	var v Verdicts
	specs := []state.GateSpec{{Name: "test"}}
	passed := referee.Outcome{Passed: true, Gates: []state.Gate{{Name: "test", Status: state.GatePassed}}}
	v.keep(v.begin(), "before", "a", passed)
	during := v.begin()
	if _, ok := v.reuse("before", specs); !ok {
		t.Fatal("nothing is reused at all")
	}
	v.Forget()
	v.keep(during, "during", "b", passed)
	v.keep(v.begin(), "after", "c", passed)
	for key, want := range map[string]bool{"before": false, "during": false, "after": true} {
		if _, ok := v.reuse(key, specs); ok != want {
			t.Errorf("the verdict of %s is reused: %t", key, ok)
		}
	}
}
