package render

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"autobuild/failure"
	"autobuild/state"
)

// explained is a phase of a run as a person asks about it from a directory below the root.
func explained(run *state.Run, i int) Explanation {
	return Explanation{
		Run: run, Phase: &run.Phases[i], Dir: "../.autobuild", Program: []string{"autobuild", "-C", "my repo"},
		Resume: []string{"autobuild", "-C", "my repo", "docs/feature-plan.md", "--resume"},
	}
}

// deep is a phase that failed with all that can be known of it.
func deep(t testing.TB) Explanation {
	t.Helper()
	e := explained(&halted(t, nil).run, 2)
	e.Run.Config.Choices = state.Choices{"2a": {"retry-policy": "adaptive"}}
	mark := "0123"
	e.Phase.Past = []failure.Earlier{
		{Type: failure.LintError, Fingerprint: "x", Message: "2 errors", Action: failure.Retry},
		{Type: failure.TestFailure, Fingerprint: mark, Message: "3 tests failing", Action: failure.Fail},
		{Type: failure.TestFailure, Fingerprint: mark, Message: "3 tests failing"},
		{Type: failure.TestFailure, Fingerprint: mark},
	}
	e.Phase.Revisions = 2
	last := &e.Phase.Attempts[1]
	last.Agent, last.Model, last.Tier = "claude", "opus", "opus"
	f := *last.Failure
	f.Category, f.Class = failure.Execution, failure.Classification{
		Class: failure.LocalDesign, Confidence: 0.75, Evidence: []string{"failed_attempts=3", "stderr_hash matches last 2 attempts"}, Action: "replan_story",
	}
	f.Cause, f.Deviation = failure.TestFailure, 0.62
	f.Type = failure.VerificationMismatch
	f.Match = &failure.Match{Name: "null-token", Reason: "Matched null-token because the error contains \"returns null\"", Fix: "load the fixture before the server starts"}
	f.Claimed, f.Found = []string{"test passed (47)"}, []string{"gate test failed: 3 of 47 tests"}
	last.Failure = &f
	last.Decision = &failure.Decision{
		Action: failure.Replan, Attempts: 2, Rule: "guard.replan", Rationale: "class F3: the phase cannot succeed as it is cut", Propose: true,
	}
	last.Warnings = []string{"its earlier work was set aside and is kept on branch autobuild/r1/2a.kept"}
	sibling := *last
	e.Run.Phases[4].Status, e.Run.Phases[4].Attempts = state.Failed, []state.Attempt{sibling}
	e.Proposal = "proposals/phase-2a.md"
	e.Read = func(name string) string {
		switch name {
		case "logs/phase-2a.test.log":
			return "> vitest run\n\n ok login\n FAIL validateToken (src/api/auth.test.ts:45)\n   expected: user object\n   received: null\n" +
				strings.Repeat(" ok\n", 100) + " FAIL refreshToken\n"
		case e.Proposal:
			return "# Proposal: Split phase 2A in two\n\nThe phase has 12 tasks.\n\nNothing of this has been done.\n"
		}
		return ""
	}
	return e
}

// TestExplainLog: the lines of the log that matter are shown with their place, so that they can be found.
func TestExplainLog(t *testing.T) {
	text := Explain(deep(t), Style{})
	has(t, text, "../.autobuild/logs/phase-2a.test.log:4", "4: FAIL validateToken", "107: FAIL refreshToken")
	lacks(t, text, "ok login")
}

// TestRelevant: without a line that names what failed, lines of trouble are shown, and without those the end.
func TestRelevant(t *testing.T) {
	numbers := func(rows []logRow) (ns []int) {
		for _, r := range rows {
			ns = append(ns, r.n)
		}
		return ns
	}
	f := &failure.Diagnosis{}
	for text, want := range map[string][]int{
		"a\nb\n\nError: no\nc\nd\n":      {4, 5, 6},
		"1\n2\n3\n4\n5\n6\n7\n8\n":       {3, 4, 5, 6, 7, 8},
		"":                               nil,
		strings.Repeat("error\n", 10000): {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
	} {
		if got := numbers(relevant(text, f)); !slices.Equal(got, want) {
			t.Errorf("%.40q: %v, want %v", text, got, want)
		}
	}
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
		e := explained(&halted(t, nil).run, 2)
		e.Phase.Attempts[1].Decision = &decision
		text := strings.Join(strings.Fields(Explain(e, Style{})), " ")
		has(t, text, want, "autobuild -C 'my repo' docs/feature-plan.md --resume")
		if decision.Action == failure.Freeze {
			has(t, text, "autobuild -C 'my repo' reset 2A")
		}
	}
	e := explained(&halted(t, nil).run, 2)
	e.Phase.Status, e.Phase.Until = state.Waiting, time.Date(2026, 11, 21, 4, 0, 0, 0, time.UTC)
	has(t, Explain(e, Style{Width: 120}), "It waits for a usage limit, until 2026-11-21 04:00 UTC.")
}

// TestExplainJSON: a machine gets the diagnosis, the decision and the past.
func TestExplainJSON(t *testing.T) {
	out, err := ExplainJSON(deep(t))
	check(t, err)
	golden(t, "explain.json", string(out))
	var doc struct {
		Diagnosis *failure.Diagnosis
		Decision  *failure.Decision
		Past      []failure.Earlier
		Siblings  []string
		Policy    string `json:"retry_policy"`
	}
	check(t, json.Unmarshal(out, &doc))
	if doc.Diagnosis.Class.Class != failure.LocalDesign || doc.Decision.Action != failure.Replan || len(doc.Past) != 4 || !slices.Equal(doc.Siblings, []string{"2c"}) || doc.Policy != "adaptive" {
		t.Errorf("%s", out)
	}
}
