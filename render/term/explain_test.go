package term

import (
	"strings"
	"testing"
	"time"

	"autobuild/failure"
	"autobuild/render"
	"autobuild/render/rendertest"
	"autobuild/state"
)

// TestExplainLog: the lines of the log that matter are shown with their place, so that they can be
// found.
func TestExplainLog(t *testing.T) {
	text := Explain(rendertest.DeepFailure(t), render.Style{})
	rendertest.Has(t, text, "../.autobuild/logs/phase-2a.test.log:4", "4: FAIL validateToken", "107: FAIL refreshToken")
	rendertest.Lacks(t, text, "ok login")
}

// TestExplainEnds: each end of a phase says what it is, and each leads on.
func TestExplainEnds(t *testing.T) {
	for want, decision := range map[string]failure.Decision{
		"It failed after 2 of 2 attempts, and is frozen":           {Action: failure.Freeze},
		"and waits for a person: nothing known fits":               {Action: failure.Block},
		"and the plan itself is in question":                       {Action: failure.Replan},
		"and waits for a person to decide":                         {Action: failure.Arbitrate, To: failure.ToUser},
		"It failed after 2 of 2 attempts: 3 tests failing":         {Action: failure.Fail},
		"escalate to user, by rule escalate.user of policy single": {Action: failure.Escalate, To: failure.ToUser, Rule: "escalate.user"},
	} {
		e := rendertest.Explained(&rendertest.Halted(t, nil).Run, 2)
		e.Phase.Attempts[1].Decision = &decision
		text := strings.Join(strings.Fields(Explain(e, render.Style{})), " ")
		rendertest.Has(t, text, want, "autobuild -C 'my repo' docs/feature-plan.md --resume")
		if decision.Action == failure.Freeze {
			rendertest.Has(t, text, "autobuild -C 'my repo' reset 2A")
		}
	}
	e := rendertest.Explained(&rendertest.Halted(t, nil).Run, 2)
	e.Phase.Status, e.Phase.Until = state.Waiting, time.Date(2026, 11, 21, 4, 0, 0, 0, time.UTC)
	rendertest.Has(t, Explain(e, render.Style{Width: 120}), "It waits for a usage limit, until 2026-11-21 04:00 UTC.")
}
