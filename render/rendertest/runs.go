package rendertest

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"autobuild/failure"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/state"
)

// Halted is the run of the failure handling document: 2A fails twice.
func Halted(t testing.TB, see func(state.Event, *state.Run)) *Story {
	t.Helper()
	x := Begin(t, FeaturePlan(t), see)
	x.Start("0")
	x.Tell(state.Event{Type: state.AgentFinished, Phase: "0", Usage: &state.Usage{CostUSD: 0.42}})
	x.Tell(state.Event{
		Type: state.GateStarted, Phase: "0",
		Gate: &state.Gate{Name: "lint", Command: "pnpm lint"},
	})
	x.Tell(state.Event{
		Type: state.GateFinished, Phase: "0",
		Gate: &state.Gate{
			Name: "lint", Status: state.GatePassed,
			Duration: 3200 * time.Millisecond,
		},
	})
	x.Tell(state.Event{
		Type: state.GateFinished, Phase: "0",
		Gate: &state.Gate{Name: "typecheck", Status: state.GateNotAvailable, Missing: "tsc"},
	})
	x.Tell(state.Event{
		Type: state.GateFinished, Phase: "0",
		Gate: &state.Gate{
			Name: "test", Status: state.GatePassed, Count: 47,
			Duration: 12 * time.Second,
		},
	})
	x.Complete("0", "chore(bootstrap): add quality tools\n\nbody")
	x.Start("1")
	x.Complete("1", "feat(db): add user schema")
	x.Start("2a")
	x.Start("2b")
	x.Start("2c")
	x.Tell(state.Event{Type: state.Activity, Phase: "2b", Text: "Edit src/ui/Login.tsx"})
	x.Now = x.Now.Add(8 * time.Minute)
	x.Tell(state.Event{Type: state.Heartbeat})
	x.Complete("2c", "test(auth): add edge cases")
	x.Tell(state.Event{Type: state.GateFinished, Phase: "2a", Gate: &state.Gate{
		Name: "test", Status: state.GateFailed, Count: 47, Failed: 3, Exit: 1,
		Duration: 71 * time.Second, Log: "logs/phase-2a.1.test.log",
	}})
	x.Fail("2a", failure.Retry)
	x.Complete("2b", "feat(ui): add login form")
	x.Start("2a")
	x.Fail("2a", failure.Fail)
	x.Tell(state.Event{Type: state.PhaseBlocked, Phase: "3", By: "2a"})
	x.End(state.Halted, "Phase 2A failed after retry")
	return x
}

// ManyPhases is a run of a hundred phases: sixty complete, three failed, the rest blocked.
func ManyPhases(t testing.TB) *state.Run {
	t.Helper()
	var phases []plan.DraftPhase
	for i := range 100 {
		phases = append(phases, plan.DraftPhase{
			Phase: plan.Phase{Label: Label(i), Name: "Part " + Label(i)},
			Needs: []plan.Ref{{Text: "none"}},
		})
	}
	p, err := plan.New(plan.Draft{Path: "plan.md", Reading: "table", Phases: phases})
	if err != nil {
		t.Fatal(err)
	}
	x := Begin(t, p, nil)
	for i := range 63 {
		x.Start(Label(i))
		if i < 60 {
			x.Complete(Label(i), "feat: part "+Label(i))
		} else {
			x.Fail(Label(i), failure.Fail)
		}
	}
	for i := 63; i < 100; i++ {
		x.Tell(state.Event{Type: state.PhaseBlocked, Phase: Label(i), By: "60"})
	}
	x.End(state.Halted, "")
	return &x.Run
}

// Label is the label of phase i in runs of many phases.
func Label(i int) string { return strconv.Itoa(i) }

// HardRun is a finished run with everything that needs a word: unverified, upgraded, retried,
// undelivered, overlapping.
func HardRun(t testing.TB) *state.Run {
	t.Helper()
	x := Begin(t, FeaturePlan(t), nil)
	for _, id := range []string{"0", "1", "2a", "2b", "2c", "3"} {
		x.Start(id)
		a := state.Attempt{
			Verdict: state.Verified, Duration: time.Minute,
			Commit: &state.Commit{SHA: "0123456789", Message: "feat: " + id},
		}
		switch id {
		case "1":
			a.Verdict = state.Unverified
		case "2a":
			x.Fail(id, failure.Retry)
			x.Start(id)
			a.Warnings = []string{"2 tests were deleted: src/old.test.ts"}
		case "2b":
			a.Verdict = state.Upgraded
			a.Commit.Overlap = []string{"src/api/routes.ts"}
		}
		x.Finish(id, a)
	}
	x.Tell(state.Event{Type: state.RunFinished, End: &state.End{
		Outcome: state.Done, Time: x.Now, Elapsed: 42 * time.Minute,
		Merge: "git merge autobuild/01JDZ8", Branch: "autobuild/01JDZ8",
		Why: "main moved while the run worked",
	}})
	return &x.Run
}

// Disputed is a finished run in which two phases changed their own referee.
func Disputed(t testing.TB) *state.Run {
	t.Helper()
	x := Begin(t, FeaturePlan(t), nil)
	gone := func(file, test string, line int) state.RefereeChange {
		return state.RefereeChange{
			Ruling: state.RulingContested, Cause: state.CauseRemoved, File: file, Line: line,
			Test: test, What: "the function parseLegacy is gone",
			Why: "the plan drops the legacy format", Group: "parseLegacy",
		}
	}
	for _, id := range []string{"0", "1", "2a", "2b", "2c", "3"} {
		x.Start(id)
		a := state.Attempt{
			Verdict: state.Verified, Duration: time.Minute,
			Commit: &state.Commit{SHA: "0123456789", Message: "feat: " + id, Delivered: true},
		}
		switch id {
		case "1":
			a.Proof = state.ProofRedGreen
			a.Referee = []state.RefereeChange{{
				Ruling: state.RulingAsked, Cause: state.CauseValue, File: "src/rate.test.ts",
				Line: 4, Test: "rate", What: "19 → 21", Why: "the rate rises to 21",
			}}
		case "2a":
			a.Proof = state.ProofRegression
			a.Referee = []state.RefereeChange{
				gone("src/legacy.test.ts", "parses 界 dates", 12),
				gone("src/legacy.test.ts", "parses times", 30),
				gone("src/old.test.ts", "keeps zones", 3),
				{
					Ruling: state.RulingContested, Cause: state.CauseGate, File: "package.json",
					Line: 9, Test: "scripts.lint", What: "eslint . → eslint src",
					Why: "dist is generated",
				},
				{
					Ruling: state.RulingRecorded, Cause: state.CauseStronger, File: "tsconfig.json",
					What: "strict: true",
				},
			}
		case "3":
			a.Proof = state.ProofNone
			a.Referee = []state.RefereeChange{{
				Ruling: state.RulingContested, Cause: state.CauseValue, File: "e2e/total.spec.ts",
				Line: 40, Test: "shows the total", What: "toBe(3) → toBe(4)", Why: "counted anew",
			}}
		}
		x.Finish(id, a)
	}
	x.End(state.Done, "all phases complete")
	return &x.Run
}

// Partial is a run that did the two phases that it was asked for, and had one of them reset since.
func Partial(t testing.TB) *state.Run {
	t.Helper()
	x := Begin(t, FeaturePlan(t), nil)
	for _, id := range []string{"0", "1", "2a"} {
		x.Start(id)
		x.Complete(id, "feat: "+id)
	}
	x.End(state.Done, "all phases complete")
	x.Tell(state.Event{Type: state.PhaseReset, Phase: "2a", Text: "reset by hand", User: true})
	return &x.Run
}

// Going is a run in the middle: two phases run, one was stopped, nothing has ended.
func Going(t testing.TB) *Story {
	t.Helper()
	x := Begin(t, FeaturePlan(t), nil)
	Ready(x)
	x.Tell(state.Event{Type: state.PhaseInterrupted, Phase: "2c"})
	x.Now = x.Now.Add(time.Hour)
	return x
}

// Stopped was interrupted, or ran out of something, in the middle.
func Stopped(t testing.TB, outcome state.Outcome, reason string) *state.Run {
	t.Helper()
	x := Begin(t, FeaturePlan(t), nil)
	x.Start("0")
	x.Complete("0", "chore(bootstrap): add quality tools")
	x.Start("1")
	if outcome == state.Interrupted {
		x.Tell(state.Event{Type: state.PhaseInterrupted, Phase: "1"})
	} else {
		x.Finish("1", state.Attempt{
			Failure:  &failure.Diagnosis{Type: failure.UsageLimit, Message: "5-hour limit reached"},
			Decision: &failure.Decision{Action: failure.Wait, Until: Midnight.Add(3 * time.Hour)},
		})
	}
	x.End(outcome, reason)
	return &x.Run
}

// Poisoned is the halted run with one hostile text everywhere that text can come from outside.
func Poisoned(t testing.TB, text string) *state.Run {
	t.Helper()
	x := Halted(t, nil)
	run := &x.Run
	run.Config.Plan, run.Config.Agent, run.Config.RunID = text, text, text
	run.End.Reason, run.End.Merge, run.End.Branch, run.End.Why = text, text, text, text
	for i := range run.Phases {
		p := &run.Phases[i]
		p.Label, p.Name, p.Reason = text, text, text
		if p.Commit != nil {
			p.Commit.Message, p.Commit.Overlap, p.Commit.SHA = text, []string{text}, text
		}
		for k := range p.Attempts {
			a := &p.Attempts[k]
			a.Warnings, a.Dir, a.Log = []string{text}, text, text
			if a.Failure != nil {
				a.Failure = &failure.Diagnosis{
					Type: failure.Type(text), Cause: failure.Type("x" + text), Message: text,
					Details: strings.Repeat(text+"\n", 3), Command: text, Activity: text,
					Package: text, RequiredBy: text, Files: []string{text}, Claimed: []string{text},
					Found: []string{text}, Actions: []string{text, text},
					Tests: []failure.Test{{Name: text, File: text, Line: 3}},
					Conflicts: []failure.Conflict{{
						File: text, Phase: text, Lines: text,
						Other: text, OtherLines: text,
					}},
				}
			}
		}
	}
	return run
}

// Ending is an ending of a run that can be resumed.
func Ending() render.Ending {
	return render.Ending{
		Resume: []string{"autobuild", "docs/feature-plan.md", "--commit=auto", "--resume"},
		Dir:    ".autobuild", Files: 6,
	}
}

// Throng is a run of many phases, of which many failed with much to say.
func Throng(t testing.TB, n int, noise string) *Story {
	t.Helper()
	var phases []plan.DraftPhase
	for i := range n {
		need := "none"
		if i >= 20 {
			need = Label(i-20) + ", " + Label(i-17)
		}
		phases = append(phases,
			plan.DraftPhase{
				Phase: plan.Phase{Label: Label(i), Name: "Part " + Label(i)},
				Needs: []plan.Ref{{Text: need}},
			})
	}
	p, err := plan.New(plan.Draft{
		Path: "plan.md", Title: "Great work", Reading: "table",
		Phases: phases,
	})
	Check(t, err)
	x := Begin(t, p, nil)
	for i := range n {
		x.Start(Label(i))
		if i%3 == 0 && noise == "" {
			x.Complete(Label(i), "feat: part "+Label(i))
			continue
		}
		x.Fail(Label(i), failure.Retry)
		x.Start(Label(i))
		x.Fail(Label(i), failure.Fail)
		if q, ok := x.Run.Find(Label(i)); ok && noise != "" {
			f := q.Attempts[1].Failure
			f.Details, f.Claimed, f.Found = noise, []string{noise, noise}, []string{noise, noise}
			q.Attempts[1].Warnings = []string{noise, noise + "2"}
		}
	}
	x.End(state.Halted, "much went wrong")
	return x
}

// Has checks that a text holds each of the rows.
func Has(t testing.TB, text string, rows ...string) {
	t.Helper()
	for _, row := range rows {
		if !strings.Contains(text, row) {
			t.Errorf("%q is not in\n%s", row, text)
		}
	}
}

// Lacks checks that a text holds none of the rows.
func Lacks(t testing.TB, text string, rows ...string) {
	t.Helper()
	for _, row := range rows {
		if strings.Contains(text, row) {
			t.Errorf("%q is in\n%s", row, text)
		}
	}
}

// Ready brings the feature plan to its third batch, all running.
func Ready(x *Story) {
	x.t.Helper()
	for _, id := range []string{"0", "1"} {
		x.Start(id)
		x.Complete(id, "feat: "+id)
	}
	for _, id := range []string{"2a", "2b", "2c"} {
		x.Start(id)
	}
}

// Cheated is a run with phases that were refused for what they changed: a test and a gate, new
// files, and nothing that was there.
func Cheated(t testing.TB) *state.Run {
	t.Helper()
	x := Begin(t, FeaturePlan(t), nil)
	refuse := func(id string, changes state.Changes, referee ...state.RefereeChange) {
		x.Start(id)
		for i := range referee {
			referee[i].Ruling = state.RulingRefused
		}
		f := &failure.Diagnosis{
			Type: failure.VerificationMismatch, Cause: failure.RefereeChanged,
			Message: "changes of the tests and gates, not asked for", Retryable: true,
			Actions: []string{"Restore the tests"}, Class: failure.Classification{
				Class: failure.LocalLogic, Confidence: 0.85, Action: "single_retry",
				Evidence: []string{
					"failed_attempts=1",
					"verification_mismatch: changes of the tests and gates, not asked for",
				},
			},
		}
		x.Finish(id, state.Attempt{
			Verdict: state.Refused, Duration: time.Minute, Dir: ".autobuild/worktrees/" + id,
			Base: "89abcdef0123456789", Changes: changes,
			Referee: referee, RefereeLog: "logs/phase-" + id + ".1.referee.test.log", Failure: f,
			Decision: &failure.Decision{
				Action:    failure.Fail,
				Rationale: "the second failure is final",
			},
		})
	}
	x.Start("0")
	x.Complete("0", "feat: 0")
	x.Start("1")
	x.Complete("1", "feat: 1")
	refuse("2a", state.Changes{Modified: []string{"src/my rate.test.ts", "package.json"}},
		state.RefereeChange{
			Cause: state.CauseValue, File: "src/my rate.test.ts", Line: 4, Test: "keeps 界 rates",
			Was: "expect(rate).toBe(19)", Now: "expect(rate).toBe(21)",
			What: "expect(rate).toBe(19) → expect(rate).toBe(21)",
		},
		state.RefereeChange{
			Cause: state.CauseGate, File: "package.json", Line: 9,
			Test: "scripts.test", What: "jest → true", Was: "jest", Now: "true",
		})
	refuse("2b", state.Changes{Created: []string{"GNUmakefile"}},
		state.RefereeChange{
			Cause: state.CauseLever, File: "GNUmakefile",
			What: "new: targets that gates run",
		})
	refuse("2c", state.Changes{Created: []string{"src/new.test.ts"}}, state.RefereeChange{
		Cause: state.CauseUnseen, File: "src/old.test.ts", Test: "adds",
		What: "it passes on the base, and fails without the phase's new test files and settings",
	})
	x.End(state.Halted, "Phases 2A, 2B and 2C failed")
	return &x.Run
}
