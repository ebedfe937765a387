package render

import (
	"testing"

	"autobuild/state"
)

// TestContestItems: one cause is one item, for all that it touched; a different ruling is another
// item.
func TestContestItems(t *testing.T) {
	change := func(group, test string, r state.RefereeRuling) state.RefereeChange {
		return state.RefereeChange{Ruling: r, Cause: state.CauseRemoved, File: "a_test.go", Test: test, Group: group, Why: "old"}
	}
	items := ContestItems([]state.RefereeChange{
		change("f", "A", state.RulingContested), change("", "B", state.RulingContested), change("f", "C", state.RulingContested),
		change("", "D", state.RulingContested), change("f", "E", state.RulingAsked),
	})
	if len(items) != 4 || len(items[0].changes) != 2 {
		t.Fatalf("%d items: %+v", len(items), items)
	}
	if got, want := items[0].line(), "2 tests (A, C): removed (the agent says: old)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := items[3].line(), "E (a_test.go): removed (the plan says: old)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
