package render

import (
	"strings"
	"testing"
	"time"

	"autobuild/failure"
	"autobuild/state"
)

// cheated is a run with phases that were refused for what they changed: a test and a gate, new
// files, and nothing that was there.
func cheated(t testing.TB) *state.Run {
	t.Helper()
	x := begin(t, feature(t), nil)
	refuse := func(id string, changes state.Changes, referee ...state.RefereeChange) {
		x.start(id)
		for i := range referee {
			referee[i].Ruling = state.RulingRefused
		}
		f := &failure.Diagnosis{
			Type: failure.VerificationMismatch, Cause: failure.RefereeChanged, Message: "changes of the tests and gates, not asked for", Retryable: true,
			Actions: []string{"Restore the tests"}, Class: failure.Classification{
				Class: failure.LocalLogic, Confidence: 0.85, Action: "single_retry",
				Evidence: []string{"failed_attempts=1", "verification_mismatch: changes of the tests and gates, not asked for"},
			},
		}
		x.finish(id, state.Attempt{
			Verdict: state.Refused, Duration: time.Minute, Dir: ".autobuild/worktrees/" + id, Base: "89abcdef0123456789", Changes: changes,
			Referee: referee, RefereeLog: "logs/phase-" + id + ".1.referee.test.log", Failure: f,
			Decision: &failure.Decision{Action: failure.Fail, Rationale: "the second failure is final"},
		})
	}
	x.start("0")
	x.complete("0", "feat: 0")
	x.start("1")
	x.complete("1", "feat: 1")
	refuse("2a", state.Changes{Modified: []string{"src/my rate.test.ts", "package.json"}},
		state.RefereeChange{
			Cause: state.CauseValue, File: "src/my rate.test.ts", Line: 4, Test: "keeps 界 rates", Was: "expect(rate).toBe(19)", Now: "expect(rate).toBe(21)",
			What: "expect(rate).toBe(19) → expect(rate).toBe(21)",
		},
		state.RefereeChange{Cause: state.CauseGate, File: "package.json", Line: 9, Test: "scripts.test", What: "jest → true", Was: "jest", Now: "true"})
	refuse("2b", state.Changes{Created: []string{"GNUmakefile"}}, state.RefereeChange{Cause: state.CauseLever, File: "GNUmakefile", What: "new: targets that gates run"})
	refuse("2c", state.Changes{Created: []string{"src/new.test.ts"}}, state.RefereeChange{
		Cause: state.CauseUnseen, File: "src/old.test.ts", Test: "adds", What: "it passes on the base, and fails without the phase's new test files and settings",
	})
	x.end(state.Halted, "Phases 2A, 2B and 2C failed")
	return &x.run
}

// TestRefusedSteps: each refused phase says what to type, for the files that it touched and for
// no others.
func TestRefusedSteps(t *testing.T) {
	run := cheated(t)
	d := account{run: run}
	steps := func(i int) string {
		p := &run.Phases[i]
		var out strings.Builder
		for _, next := range d.todos(p, "", []string{"autobuild"}, Style{}) {
			out.WriteString(next.text + "\n" + strings.Join(Style{}.lines(next.commands), "\n") + "\n")
		}
		return out.String()
	}
	has(t, steps(2), "git -C .autobuild/worktrees/2a diff 89abcdef0123 -- package.json 'src/my rate.test.ts'\n",
		"git -C .autobuild/worktrees/2a checkout 89abcdef0123 -- package.json 'src/my rate.test.ts'\n", "`referee_changes`", "docs/feature-plan.md")
	lacks(t, steps(2), "--referee", "rm ")
	has(t, steps(3), "rm -- .autobuild/worktrees/2b/GNUmakefile\n")
	lacks(t, steps(3), "checkout")
	has(t, steps(4), "pass the tests that were there before, without the phase's new test files")
	lacks(t, steps(4), "checkout", "rm ", "old.test.ts")
	run.Config.Referee = "strict"
	has(t, steps(2), "--referee contest")
	has(t, Explain(explained(run, 2), Style{}), "the plan does not ask for that")
}

// TestRefusedExplained: the explanation tells which test changed, from what to what, and claims
// nothing of the phase's own logic.
func TestRefusedExplained(t *testing.T) {
	text := Explain(explained(cheated(t), 2), Style{})
	has(t, text, "keeps 界 rates (src/my rate.test.ts:4): expects another value", "was: expect(rate).toBe(19)", "now: expect(rate).toBe(21)",
		"referee.test.log")
	lacks(t, text, "the phase's own work is wrong", "- verification_mismatch:")
}
