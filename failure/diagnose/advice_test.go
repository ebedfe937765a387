package diagnose

import (
	"slices"
	"strings"
	"testing"

	"autobuild/failure"
)

// Every row of advice is a template that facts can fill, and every type has one.
func TestEveryCounselRenders(t *testing.T) {
	all := []facts{
		factsOf(failure.Diagnosis{}, failure.Evidence{}),
		factsOf(failure.Diagnosis{
			Command: "make", FixCommand: "make fix", Gate: "test", Package: "jq", RequiredBy: "a script", Files: []string{"a.go"},
			Tests:  []failure.Test{{Name: "A", File: "a.go"}},
			Places: []failure.Place{{Rule: "secret"}}, Conflicts: []failure.Conflict{{Other: "1", Phase: "2"}}, Unattributed: true, Activity: "ls",
		}, failure.Evidence{
			Agent: &failure.AgentRun{Idle: true}, Claim: &failure.Claim{Error: "x", Blocked: true}, NoChange: true, Cycle: []string{"1", "2", "1"},
			Tasks: failure.TaskCount{Total: 2}, Gates: []failure.GateRun{{Log: "a.log"}}, ParseNote: "none", Work: "gone",
		}),
	}
	for _, c := range adviceRows {
		for _, row := range append(slices.Clone(c.actions), c.guidance) {
			for _, f := range all {
				if got := f.fill(row); strings.Contains(got, "{{") || strings.Contains(got, "<no value>") {
					t.Errorf("%s: %s", c.on, got)
				}
			}
		}
	}
	for _, typ := range append(failure.Types(), failure.RefereeChanged, failure.ProofMissing) {
		if a := adviceOn(typ, failure.Diagnosis{Type: typ}, failure.Evidence{}); len(a.actions) == 0 {
			t.Errorf("no advice for %s", typ)
		}
	}
}

// A missing data file is no place of a failing test: advice names the test, and the file as
// missing.
func TestMissingDataFileIsNoPlaceOfATest(t *testing.T) {
	d := From(failure.Evidence{Gates: []failure.GateRun{{
		Name: "test", Kind: "test", Command: "go test ./...", Exit: 1, Count: 1,
		Tests: []failure.Test{{Name: "TestCredits", Message: "open AUTHORS: no such file or directory"}},
	}}})
	for action, want := range map[int]string{0: "Create AUTHORS, or correct its path where it is named", 1: "Fix the failing tests: TestCredits"} {
		if len(d.Actions) <= action || d.Actions[action] != want {
			t.Errorf("action %d of %q, want %q", action, d.Actions, want)
		}
	}
	if strings.Contains(d.Guidance, "TestCredits in AUTHORS") || !strings.Contains(d.Guidance, "Make the failing tests pass: TestCredits.") {
		t.Error(d.Guidance)
	}
}
