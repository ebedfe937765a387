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

// TestSummaryOrder: the seed's order, so that what matters stands next to the prompt, and the
// command that resumes last.
func TestSummaryOrder(t *testing.T) {
	text := Summary(&rendertest.Halted(t, nil).Run, rendertest.Ending(), render.Style{})
	at := 0
	for _, part := range []string{
		"AUTOBUILD HALTED", "Reason: Phase 2A failed after retry", "FAILED PHASE", "BLOCKED PHASES", "Blocked by: 2A", "COMPLETED PHASES",
		"STATE PRESERVED", "State files: 6 phases", "RESUME INSTRUCTIONS", "1. Fix the failing tests", "To start fresh: Add --fresh flag",
		"╝", "autobuild logs 2A", "autobuild explain 2A",
	} {
		i := strings.Index(text[at:], part)
		if i < 0 {
			t.Fatalf("%q is missing, or out of order, in\n%s", part, text)
		}
		at += i
	}
	if last := "\nto resume:\n  autobuild docs/feature-plan.md --commit=auto --resume\n"; !strings.HasSuffix(text, last) {
		t.Errorf("the last lines are not the command that resumes:\n%s", text)
	}
}

// TestCommandsAreNeverWrapped: a command to paste stands on one line, however narrow the screen.
func TestCommandsAreNeverWrapped(t *testing.T) {
	e := rendertest.Ending()
	e.Resume = []string{"autobuild", strings.Repeat("long/", 60) + "plan of mine.md", "--commit=auto", "--resume"}
	rendertest.Has(t, Summary(&rendertest.Halted(t, nil).Run, e, render.Style{Width: 30}), "\n  "+render.Command(e.Resume)+"\n")
}

// TestWarningsAlike: a warning that several phases share in the same words appears once, so that it
// hides no other.
func TestWarningsAlike(t *testing.T) {
	x := rendertest.Throng(t, 12, "")
	for i := range x.Run.Phases {
		p := &x.Run.Phases[i]
		p.Status, p.Attempts = state.Complete, []state.Attempt{{N: 1, Verdict: state.Verified, Warnings: []string{"run.log was changed"}}}
		if i == 11 {
			p.Attempts[0].Warnings = []string{"a secret", "run.log was changed"}
		}
	}
	text := Summary(&x.Run, rendertest.Ending(), render.Style{})
	labels := make([]string, 12)
	for i := range labels {
		labels[i] = x.Run.Phases[i].Label
	}
	rendertest.Has(t, text, "! "+strings.Join(labels[:6], ", ")+" and 6 more: run.log was changed", "! "+labels[11]+": a secret")
}

// TestFolding: more than eight complete phases lose their commits, more than two dozen are a list.
func TestFolding(t *testing.T) {
	for n, want := range map[int]struct{ commits, rows int }{8: {8, 8}, 9: {0, 9}, 24: {0, 24}, 25: {0, 0}} {
		run := state.Run{}
		for i := range n {
			run.Phases = append(run.Phases, state.Phase{ID: rendertest.Label(i), Label: rendertest.Label(i), Status: state.Complete, Commit: &state.Commit{Message: "feat: x", Delivered: true}})
		}
		text := Done(&run, rendertest.Ending(), render.Style{})
		if got := strings.Count(text, "Commit: feat: x"); got != want.commits {
			t.Errorf("of %d phases %d show their commit, want %d", n, got, want.commits)
		}
		if got := strings.Count(text, "... complete"); got != want.rows {
			t.Errorf("of %d phases %d have a row, want %d", n, got, want.rows)
		}
	}
}

// TestFailureFacts: each kind of failure shows the facts that it is about.
func TestFailureFacts(t *testing.T) {
	for name, c := range map[string]struct {
		d    failure.Diagnosis
		want []string
	}{
		"conflict": {
			failure.Diagnosis{Type: failure.FileConflict, Conflicts: []failure.Conflict{{
				File: "src/api/routes.ts", Phase: "2A", Lines: "10-25", Other: "2B", OtherLines: "15-30",
			}}},
			[]string{"File: src/api/routes.ts", "Phase 2A changed lines 10-25", "Phase 2B changed lines 15-30", "Attempts: 1/2, not retryable"},
		},
		"conflict with the user": {
			failure.Diagnosis{Conflicts: []failure.Conflict{{File: "a.go", Phase: "2A"}}},
			[]string{"Phase 2A changed it", "A commit of yours changed it"},
		},
		"missing": {
			failure.Diagnosis{Type: failure.DependencyMissing, Package: "@types/jest", RequiredBy: "Type checking"},
			[]string{"Package: @types/jest", "Required by: Type checking"},
		},
		"timeout": {
			failure.Diagnosis{Type: failure.Timeout, After: 3600e9, Activity: "npm test"}, []string{"After: 1h00m", "Last seen: npm test"},
		},
		"mismatch": {
			failure.Diagnosis{
				Type: failure.VerificationMismatch, Cause: failure.TestFailure,
				Claimed: []string{"test passed (47)"}, Found: []string{"test failed, 3 of 47"},
			},
			[]string{"Error: verification_mismatch (test_failure)", "Claimed: test passed (47)", "Found: test failed, 3 of 47"},
		},
		"lint": {
			failure.Diagnosis{Type: failure.LintError, Count: 9, Places: []failure.Place{
				{File: "a.ts", Line: 3, Message: "no-unused-vars"}, {File: "b.ts"}, {File: "c.ts"}, {File: "d.ts"}, {File: "e.ts"}, {File: "f.ts"},
			}},
			[]string{"Places: a.ts:3 no-unused-vars", "and 4 more"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			run := state.Run{Phases: []state.Phase{{
				ID: "2a", Label: "2A", Status: state.Failed, MaxAttempts: 2, Attempts: []state.Attempt{{N: 1, Failure: &c.d}},
			}}}
			text := Summary(&run, rendertest.Ending(), render.Style{})
			rendertest.Has(t, text, c.want...)
			rendertest.Has(t, text, "1. Read what happened: autobuild logs 2A", "Reason: Phase 2A failed ")
		})
	}
}

// TestUndelivered: finished work that is not in the checkout is named, with the command that brings
// it in.
func TestUndelivered(t *testing.T) {
	text := Summary(rendertest.HardRun(t), rendertest.Ending(), render.Style{})
	rendertest.Has(t, text, "WORK NOT YET IN YOUR CHECKOUT", "Because: main moved while the run worked")
	if last := "\n  git merge autobuild/01JDZ8\n"; !strings.HasSuffix(text, last) {
		t.Errorf("the last line is not the merge:\n%s", text)
	}
	run := state.Run{Phases: []state.Phase{{ID: "1", Label: "1", Status: state.Complete, Commit: &state.Commit{Undelivered: "the checkout is dirty"}}}}
	rendertest.Has(t, Summary(&run, rendertest.Ending(), render.Style{}), "Phases: 1 ", "Because: the checkout is dirty")
}

// TestWayIn: a file that git would stumble over is named before the merge; of other reasons nothing
// is made up.
func TestWayIn(t *testing.T) {
	for o, want := range map[state.Obstacle]string{
		{Code: state.ObstacleUntracked, Path: "work-1.txt"}:    "checkout, move work-1.txt away first, then:\n  git merge autobuild/01JDZ8\n",
		{Code: state.ObstacleChanged, Path: "README.md"}:       "checkout, commit or undo your change to README.md first, then:\n  git merge autobuild/01JDZ8\n",
		{Code: state.ObstacleDeleted, Path: "README.md"}:       "checkout, commit or undo your change to README.md first, then:\n  git merge autobuild/01JDZ8\n",
		{Code: state.ObstacleOtherBranch, Branch: "elsewhere"}: "checkout:\n  git merge autobuild/01JDZ8\n",
	} {
		run, why := rendertest.HardRun(t), render.ObstacleText(o)
		run.End.Obstacle, run.End.Why = o, why
		text := Summary(run, rendertest.Ending(), render.Style{Width: 120})
		rendertest.Has(t, text, "Because: "+why, "to bring the finished work into your "+want)
		if strings.Contains(text, "First: ") != strings.Contains(want, "first") {
			t.Errorf("%s:\n%s", why, text)
		}
	}
}

// TestCommits: a complete run of message-only says how its commits are made, and nothing about
// starting again.
func TestCommits(t *testing.T) {
	run := rendertest.HardRun(t)
	run.End.Merge, run.End.Branch, run.End.Why = "", "", ""
	e := rendertest.Ending()
	e.Script, e.Fresh = "it's here/commits.sh", []string{"autobuild", "plan.md", "--fresh"}
	text := Summary(run, e, render.Style{})
	if last := "╝\n\nto make the commits:\n  sh 'it'\\''s here/commits.sh'\n"; !strings.HasSuffix(text, last) {
		t.Errorf("the next step is not the script:\n%s", text)
	}
	rendertest.Lacks(t, text, "--fresh", "--resume")
	e.Nothing = true
	rendertest.Lacks(t, Summary(run, e, render.Style{}), "--fresh", "commits.sh")
	rendertest.Lacks(t, Summary(&rendertest.Halted(t, nil).Run, e, render.Style{}), "make the commits")
}

// TestPartComplete: only a whole plan is called complete, and a part says how the rest is reached.
func TestPartComplete(t *testing.T) {
	e := rendertest.Ending()
	e.Script, e.Fresh = ".autobuild/commits.sh", []string{"autobuild", "plan.md", "--fresh"}
	text := Summary(rendertest.Partial(t), e, render.Style{})
	rendertest.Has(t, text, "AUTOBUILD: PART COMPLETE", "2 of 6 phases complete", render.OthersLeft)
	rendertest.Lacks(t, text, "AUTOBUILD COMPLETE", "--fresh", "make the commits")
	if last := "\nto resume:\n  autobuild docs/feature-plan.md --commit=auto --resume\n"; !strings.HasSuffix(text, last) {
		t.Errorf("the last lines are not the command that resumes:\n%s", text)
	}
}

// TestMend: the worktree is named as the place for a fix only where the attempt left work in it.
func TestMend(t *testing.T) {
	run := &rendertest.Halted(t, nil).Run
	rendertest.Has(t, Summary(run, rendertest.Ending(), render.Style{}), "Mend it in .autobuild/worktrees/2a")
	run.Phases[2].Attempts[1].Changes = state.Changes{}
	rendertest.Lacks(t, Summary(run, rendertest.Ending(), render.Style{}), "Mend it")
}

// TestLogsOfThePhase: advice that names the logs names those of the phase that failed, and works
// when pasted.
func TestLogsOfThePhase(t *testing.T) {
	e := rendertest.Ending()
	e.Program = []string{"autobuild", "-C", "sub"}
	rendertest.Has(t, Summary(&rendertest.Halted(t, nil).Run, e, render.Style{}), "\n  autobuild -C sub logs 2A\n")
}

// TestNothingToDo is two lines, not a box, and offers no resume.
func TestNothingToDo(t *testing.T) {
	e := rendertest.Ending()
	e.Nothing = true
	text := Summary(rendertest.HardRun(t), e, render.Style{})
	if strings.Contains(text, "║") || !strings.HasPrefix(text, "nothing to do: 6 phases of docs/feature-plan.md complete since 2026-11-21") {
		t.Errorf("got\n%s", text)
	}
	rendertest.Lacks(t, text, "to resume")
}

// TestDeliveredLater: a phase's warnings from its landing are over once a session has ended with
// nothing left to deliver.
func TestDeliveredLater(t *testing.T) {
	run := state.Run{
		Phases: []state.Phase{{ID: "1", Label: "1", Status: state.Complete, Commit: &state.Commit{SHA: "abc", Undelivered: "1.txt is in the way"}}},
		End:    &state.End{Outcome: state.Done},
	}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	rendertest.Lacks(t, Summary(&run, rendertest.Ending(), render.Style{})+Status(&run, render.Ending{}, false, now, render.Style{}, 0), "NOT YET", "not yet")
	run.End.Outcome = state.Broken
	rendertest.Has(t, Summary(&run, rendertest.Ending(), render.Style{})+Status(&run, render.Ending{}, false, now, render.Style{}, 0), "NOT YET", "not yet")
}

// TestConflictCommand: the command that merges a conflict by hand stands alone on its line, below
// the box.
func TestConflictCommand(t *testing.T) {
	const merge = "git -C .autobuild/worktrees/2b merge autobuild/20261121-112233-abcd/integration"
	run := state.Run{Phases: []state.Phase{{ID: "2b", Label: "2B", Status: state.Failed, Attempts: []state.Attempt{{
		N: 1, Failure: &failure.Diagnosis{Type: failure.FileConflict, FixCommand: merge},
	}}}}}
	rendertest.Has(t, Summary(&run, rendertest.Ending(), render.Style{}), "\n  "+merge+"\n")
}
