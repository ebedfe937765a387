package render_test

import (
	"strings"
	"testing"
	"time"

	"autobuild/render"
	"autobuild/render/rendertest"
	"autobuild/state"
)

// TestRequest holds the text of a pull request against its golden file: what a reader needs who has
// not seen the run.
func TestRequest(t *testing.T) {
	run := rendertest.Disputed(t)
	find := func(id string) *state.Attempt {
		p, _ := run.Find(id)
		return &p.Attempts[len(p.Attempts)-1]
	}
	find("0").Verdict = state.Unverified
	find("1").Gates = []state.Gate{
		{Name: "test", Command: "pnpm test", Status: state.GatePassed},
		{Name: "typecheck", Command: "tsc --noEmit", Status: state.GateNotAvailable, Missing: "tsc"},
	}
	find("2b").Gates = []state.Gate{{
		Name: "lint", Command: "pnpm lint", Status: state.GateFailed, Before: state.NotWorse,
	}}
	find("2b").Review = &state.Review{Agent: "codex", Missing: "the reviewer timed out"}
	find("2c").Review = &state.Review{Agent: "codex", Omitted: 3, Findings: []state.Finding{
		{Ruling: state.FindingCounts, Severity: "high", File: "a.ts", Claim: "it counted"},
		{
			Ruling: state.FindingNote, Severity: "low", File: "src/rate.ts", Line: 7,
			Claim: "closes #12 and pings @someone\n# heading `code` | cell",
		},
	}}
	p, _ := run.Find("3")
	p.Edited = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var phases []*state.Phase
	for i := range run.Phases {
		if run.Phases[i].Status == state.Complete {
			phases = append(phases, &run.Phases[i])
		}
	}
	body := render.RequestBody(run, phases, "autobuild/r1/all")
	rendertest.Golden(t, "request.md", body)
	if strings.Contains(body, "it counted") {
		t.Error("a finding that refused an earlier attempt is named as a note")
	}
}
