package rendertest

import (
	"strings"
	"testing"

	"autobuild/failure"
	"autobuild/render"
	"autobuild/state"
)

// Explained is a phase of a run as a person asks about it from a directory below the root.
func Explained(run *state.Run, i int) render.Explanation {
	return render.Explanation{
		Run: run, Phase: &run.Phases[i], Dir: "../.autobuild",
		Program: []string{"autobuild", "-C", "my repo"},
		Resume:  []string{"autobuild", "-C", "my repo", "docs/feature-plan.md", "--resume"},
	}
}

// DeepFailure is a phase that failed with all that can be known of it.
func DeepFailure(t testing.TB) render.Explanation {
	t.Helper()
	e := Explained(&Halted(t, nil).Run, 2)
	e.Run.Config.Choices = state.Choices{"2a": {"retry-policy": "adaptive"}}
	mark := "0123"
	e.Phase.Past = []failure.Earlier{
		{Type: failure.LintError, Fingerprint: "x", Message: "2 errors", Action: failure.Retry},
		{
			Type: failure.TestFailure, Fingerprint: mark, Message: "3 tests failing",
			Action: failure.Fail,
		},
		{Type: failure.TestFailure, Fingerprint: mark, Message: "3 tests failing"},
		{Type: failure.TestFailure, Fingerprint: mark},
	}
	e.Phase.Revisions = 2
	last := &e.Phase.Attempts[1]
	last.Agent, last.Model, last.Tier = "claude", "opus", "opus"
	f := *last.Failure
	f.Category, f.Class = failure.Execution, failure.Classification{
		Class: failure.LocalDesign, Confidence: 0.75,
		Evidence: []string{"failed_attempts=3", "stderr_hash matches last 2 attempts"},
		Action:   "replan_story",
	}
	f.Cause, f.Deviation = failure.TestFailure, 0.62
	f.Type = failure.VerificationMismatch
	f.Match = &failure.Match{
		Name:   "null-token",
		Reason: "Matched null-token because the error contains \"returns null\"",
		Fix:    "load the fixture before the server starts",
	}
	f.Claimed, f.Found = []string{"test passed (47)"}, []string{"gate test failed: 3 of 47 tests"}
	last.Failure = &f
	last.Decision = &failure.Decision{
		Action: failure.Replan, Attempts: 2, Rule: "guard.replan",
		Rationale: "class F3: the phase cannot succeed as it is cut", Propose: true,
	}
	last.Warnings = []string{"its earlier work was set aside and is kept on branch " +
		"autobuild/r1/2a.kept"}
	sibling := *last
	e.Run.Phases[4].Status, e.Run.Phases[4].Attempts = state.Failed, []state.Attempt{sibling}
	e.Read = func(name string) string {
		if name == "logs/phase-2a.test.log" {
			return "> vitest run\n\n ok login\n FAIL validateToken (src/api/auth.test.ts:45)\n  " +
				" expected: user object\n   received: null\n" +
				strings.Repeat(" ok\n", 100) + " FAIL refreshToken\n"
		}
		return ""
	}
	return e
}
