package state_test

import (
	"testing"

	"autobuild/state"
)

// contesting ends attempt n of a phase with a contested change.
func contesting(id string, n int) state.Event {
	e := passed(id, n)
	e.Result.Referee = []state.RefereeChange{
		{Ruling: state.RulingAsked, Cause: state.CauseValue, File: "a_test.go", What: "1 → 2"},
		{Ruling: state.RulingContested, Cause: state.CauseRemoved, File: "b_test.go", Test: "TestB", What: "TestB is gone", Why: "obsolete"},
	}
	return e
}

// TestAccept: changes of the referee are contested until the user accepts them; a reset, and
// another attempt, begin anew. The last end follows.
func TestAccept(t *testing.T) {
	ended := func(r *state.Run, exit int) {
		t.Helper()
		apply(t, r, state.Event{Type: state.RunFinished, End: &state.End{Outcome: state.Done, Exit: exit, Totals: r.Totals()}})
	}
	r := &state.Run{}
	apply(t, r, begin("a", "b"), started("a", 1), contesting("a", 1), started("b", 1), contesting("b", 1))
	if got := r.Totals().Contested; got != 2 {
		t.Fatalf("%d phases are contested, want 2", got)
	}
	ended(r, state.ExitUnproven)
	for i, id := range []string{"a", "b"} {
		if got := r.Phases[i].Contested(); len(got) != 1 || got[0].Test != "TestB" {
			t.Fatalf("contested in %s: %v", id, got)
		}
		e := of(state.PhaseAccepted, id)
		e.Time = at(40)
		apply(t, r, e)
		if left := 1 - i; r.Totals().Contested != left || r.End.Totals.Contested != left || (r.End.Exit == 0) != (left == 0) {
			t.Errorf("after accepting %s: %d contested, end %+v", id, r.Totals().Contested, r.End)
		}
		if err := r.Apply(e); err == nil {
			t.Errorf("%s was accepted twice", id)
		}
	}
	apply(t, r, begin("a", "b"), of(state.PhaseReset, "a"), started("a", 1), contesting("a", 1))
	if p := r.Phases[0]; len(p.Contested()) != 1 || !p.Accepted.IsZero() {
		t.Errorf("the acceptance of an earlier attempt still holds: %+v", p)
	}
}

// TestAcceptElsewhere: an end that failed for another reason keeps its exit code.
func TestAcceptElsewhere(t *testing.T) {
	for name, exit := range map[string]int{"halted": 1, "unverified": state.ExitUnproven} {
		r := &state.Run{}
		e := passed("b", 1)
		e.Result.Verdict = state.Unverified
		apply(t, r, begin("a", "b"), started("a", 1), contesting("a", 1), started("b", 1), e)
		apply(t, r, state.Event{Type: state.RunFinished, End: &state.End{Outcome: state.Done, Exit: exit, Totals: r.Totals()}}, of(state.PhaseAccepted, "a"))
		if r.End.Exit != exit {
			t.Errorf("%s: exit %d after the acceptance, want %d", name, r.End.Exit, exit)
		}
	}
}
