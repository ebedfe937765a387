package render

import (
	"encoding/json"
	"strings"
	"testing"

	"autobuild/state"
)

// TestContestedEverywhere: every surface names each contested cause once, what changed and why, and none calls the run merely complete.
func TestContestedEverywhere(t *testing.T) {
	run := disputed(t)
	var lines, terse strings.Builder
	for _, sink := range []interface {
		Event(e state.Event, r *state.Run) error
	}{&Plain{W: &lines, Style: Style{Width: 400}}, &Terse{W: &terse}} {
		for i := range run.Phases {
			p := &run.Phases[i]
			a, _ := p.Last()
			check(t, sink.Event(state.Event{Type: state.AttemptFinished, Phase: p.ID, Label: p.Label, Result: &a, Time: midnight}, run))
		}
	}
	status, err := StatusJSON(run, false)
	check(t, err)
	suites, err := JUnit(Suites{Run: run, Plan: "plan.md", Exit: 5, Err: "complete, but contested"})
	check(t, err)
	page, err := HTML(Page{Run: run, Now: midnight})
	check(t, err)
	for name, text := range map[string]string{
		"box": Summary(run, ending(), Style{Width: 400}), "lines": lines.String(), "status --json": string(status),
		"explain": Explain(explained(run, 2), Style{Width: 400}) + Explain(explained(run, 5), Style{Width: 400}), "JUnit": string(suites),
		"page": string(page), "step": StepSummary(run, ending(), nil),
	} {
		for _, want := range []string{"parseLegacy", "drops the legacy format", "scripts", "shows the total"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q:\n%s", name, want, text)
			}
		}
	}
	has(t, terse.String(), ", contested: 2 changes of tests or gates")
	has(t, string(suites), `<property name="contested" value="2">`, `<property name="proof" value="regression">`, `name="contested"`)
	has(t, string(page), "complete, contested")
	has(t, Summary(run, ending(), Style{}), "AUTOBUILD COMPLETE, CONTESTED", "complete, contested", "2 contested", "autobuild accept 2A 3",
		"Proof: 1 red before, green after; 1 older tests only; 1 no test of its own")
	var doc struct {
		Totals state.Totals `json:"totals"`
		Phases []struct {
			Proof     state.Proof           `json:"proof"`
			Contested []state.RefereeChange `json:"contested"`
		} `json:"phases"`
	}
	check(t, json.Unmarshal(status, &doc))
	if doc.Totals.Contested != 2 || len(doc.Phases[2].Contested) != 4 || doc.Phases[1].Proof != state.ProofRedGreen || doc.Phases[1].Contested != nil {
		t.Errorf("status --json: %+v", doc)
	}
}

// TestContestItems: one cause is one item, whatever it touched; what became of it differently is another.
func TestContestItems(t *testing.T) {
	change := func(group, test string, r state.RefereeRuling) state.RefereeChange {
		return state.RefereeChange{Ruling: r, Cause: state.CauseRemoved, File: "a_test.go", Test: test, Group: group, Why: "old"}
	}
	items := contestItems([]state.RefereeChange{
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
