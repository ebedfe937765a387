package render_test

import (
	"encoding/json"
	"strings"
	"testing"

	"autobuild/render"
	"autobuild/render/ci"
	"autobuild/render/html"
	"autobuild/render/rendertest"
	"autobuild/render/term"
	"autobuild/state"
)

// TestContestedEverywhere: every surface names each contested cause once, the change and its
// reason, and none calls the run merely complete.
func TestContestedEverywhere(t *testing.T) {
	run := rendertest.Disputed(t)
	var lines, terse strings.Builder
	for _, sink := range []interface {
		Event(e state.Event, r *state.Run) error
	}{&term.Plain{W: &lines, Style: render.Style{Width: 400}}, &term.Terse{W: &terse}} {
		for i := range run.Phases {
			p := &run.Phases[i]
			a, _ := p.Last()
			rendertest.Check(t, sink.Event(state.Event{Type: state.AttemptFinished, Phase: p.ID, Label: p.Label, Result: &a, Time: rendertest.Midnight}, run))
		}
	}
	status, err := render.StatusJSON(run, false)
	rendertest.Check(t, err)
	suites, err := ci.JUnit(ci.Suites{Run: run, Plan: "plan.md", Exit: 5, Err: "complete, but contested"})
	rendertest.Check(t, err)
	page, err := html.Document(html.Page{Run: run, Now: rendertest.Midnight})
	rendertest.Check(t, err)
	for name, text := range map[string]string{
		"box": term.Summary(run, rendertest.Ending(), render.Style{Width: 400}), "lines": lines.String(), "status --json": string(status),
		"explain": term.Explain(rendertest.Explained(run, 2), render.Style{Width: 400}) + term.Explain(rendertest.Explained(run, 5), render.Style{Width: 400}), "JUnit": string(suites),
		"page": string(page), "step": ci.StepSummary(run, rendertest.Ending(), nil),
	} {
		for _, want := range []string{"parseLegacy", "drops the legacy format", "scripts", "shows the total"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q:\n%s", name, want, text)
			}
		}
	}
	rendertest.Has(t, terse.String(), ", contested: 2 changes of tests or gates")
	rendertest.Has(t, string(suites), `<property name="contested" value="2">`, `<property name="proof" value="regression">`, `name="contested"`)
	rendertest.Has(t, string(page), "complete, contested")
	rendertest.Has(t, term.Summary(run, rendertest.Ending(), render.Style{}), "AUTOBUILD COMPLETE, CONTESTED", "complete, contested", "2 contested", "autobuild accept 2A 3",
		"Proof: 1 red before, green after; 1 older tests only; 1 no test of its own")
	var doc struct {
		Totals state.Totals `json:"totals"`
		Phases []struct {
			Proof     state.Proof           `json:"proof"`
			Contested []state.RefereeChange `json:"contested"`
		} `json:"phases"`
	}
	rendertest.Check(t, json.Unmarshal(status, &doc))
	if doc.Totals.Contested != 2 || len(doc.Phases[2].Contested) != 4 || doc.Phases[1].Proof != state.ProofRedGreen || doc.Phases[1].Contested != nil {
		t.Errorf("status --json: %+v", doc)
	}
}
