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

// TestExplainOwnError: an error of the agent's own is not called the phase's work, and the wait
// because of it is named. What a script does, and work that cannot be taken, is the phase's.
func TestExplainOwnError(t *testing.T) {
	own, work := "an error of the agent's own, and not of the phase's work", "the phase's own work is wrong"
	for name, tt := range map[string]struct {
		agent      string
		category   failure.Category
		unbilled   bool
		decision   failure.Action
		has, lacks string
	}{
		"once more":      {"claude", failure.Execution, true, failure.Wait, "autobuild waits, and then makes this attempt once more; none is spent", work},
		"again":          {"claude", failure.Execution, true, failure.Retry, "autobuild waits for such an error once a phase, and had done so", work},
		"billed":         {"claude", failure.Execution, false, failure.Retry, own, work},
		"billed, waited": {"claude", failure.Execution, false, failure.Retry, own, "waited "},
		"script":         {"script", failure.Execution, false, failure.Retry, work, own},
		"its work":       {"claude", failure.UnexpectedResult, false, failure.Retry, work, own},
	} {
		e := rendertest.Explained(&rendertest.Halted(t, nil).Run, 2)
		last := &e.Phase.Attempts[1]
		last.Agent, last.Decision = tt.agent, &failure.Decision{Action: tt.decision}
		last.Failure = &failure.Diagnosis{
			Type: failure.AgentError, Category: tt.category, Unbilled: tt.unbilled, Message: "claude exited with code 139",
			Class: failure.Classification{Class: failure.LocalLogic, Confidence: 0.85, Action: "single_retry"},
		}
		text := strings.Join(strings.Fields(Explain(e, render.Style{Width: 200})), " ")
		if !strings.Contains(text, tt.has) || strings.Contains(text, tt.lacks) {
			t.Errorf("%s: %q is missing, or %q is there:\n%s", name, tt.has, tt.lacks, text)
		}
	}
}
