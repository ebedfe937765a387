package term

import (
	"strings"
	"testing"

	"autobuild/failure"
	"autobuild/plan"
	"autobuild/render/rendertest"
	"autobuild/state"
)

// TestTerseScreen holds what a coding agent gets against a golden file.
func TestTerseScreen(t *testing.T) {
	var terse strings.Builder
	sink := Terse{W: &terse}
	rendertest.Halted(t, func(e state.Event, r *state.Run) { rendertest.Check(t, sink.Event(e, r)) })
	rendertest.Golden(t, "terse.txt", terse.String())
}

// TestTerseIsBounded: five hundred phases that go well are few lines, and none that fails is left
// out.
func TestTerseIsBounded(t *testing.T) {
	var out strings.Builder
	sink := Terse{W: &out}
	var phases []plan.DraftPhase
	for i := range 500 {
		phases = append(phases, plan.DraftPhase{Phase: plan.Phase{Label: rendertest.Label(i), Name: "Part"}, Needs: []plan.Ref{{Text: "none"}}})
	}
	p, err := plan.New(plan.Draft{Path: "plan.md", Reading: "table", Phases: phases})
	rendertest.Check(t, err)
	x := rendertest.Begin(t, p, func(e state.Event, r *state.Run) { rendertest.Check(t, sink.Event(e, r)) })
	for i := range 500 {
		x.Start(rendertest.Label(i))
		if i%100 == 57 {
			x.Fail(rendertest.Label(i), failure.Fail)
		} else {
			x.Complete(rendertest.Label(i), "feat: part")
		}
		x.Tell(state.Event{Type: state.Heartbeat})
	}
	if n := strings.Count(out.String(), "\n"); n > 80 || strings.Count(out.String(), "FAILED") != 5 {
		t.Errorf("%d lines, %d failures in\n%s", n, strings.Count(out.String(), "FAILED"), out.String())
	}
}
