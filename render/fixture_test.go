package render

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"autobuild/failure"
	"autobuild/plan"
	"autobuild/state"
)

var midnight = time.Date(2026, 11, 21, 2, 17, 4, 0, time.UTC)

// feature is the plan of the failure handling document's halt summary.
func feature(t testing.TB) *plan.Plan {
	t.Helper()
	phase := func(label, name, needs string, p plan.Phase) plan.DraftPhase {
		p.Label, p.Name = label, name
		return plan.DraftPhase{Phase: p, Needs: []plan.Ref{{Text: needs}}}
	}
	tasks := []plan.Task{{Text: "one", Done: true}, {Text: "two"}, {Text: "three"}}
	p, err := plan.New(plan.Draft{
		Path: "docs/feature-plan.md", Title: "Feature plan 機能計画", Dialect: "superplan",
		Phases: []plan.DraftPhase{
			phase("0", "Bootstrap", "None", plan.Phase{
				Tasks: tasks, Status: plan.StatusDone, Estimate: plan.Estimate{Text: "2", Weight: 2}, Pos: plan.Pos{Line: 12, Col: 1},
				Files: plan.Files{Create: []string{"Makefile", ".golangci.yml"}}, Commit: "chore(bootstrap): add quality tools",
			}),
			phase("1", "Setup", "0", plan.Phase{Tasks: tasks, Estimate: plan.Estimate{Text: "3", Weight: 3}}),
			phase("2A", "Backend", "1", plan.Phase{
				Tasks: tasks, Criteria: tasks[:1], Estimate: plan.Estimate{Text: "5", Weight: 5},
				Files: plan.Files{Modify: []string{"src/api/auth.ts"}, Test: []string{"src/api/auth.test.ts"}},
				Gates: []plan.Gate{{Name: "test", Command: "npm test -- auth"}},
			}),
			phase("2B", "Frontend 前端界面 🚀", "1", plan.Phase{Estimate: plan.Estimate{Text: "5", Weight: 5}}),
			phase("2C", "Tests", "1", plan.Phase{Estimate: plan.Estimate{Text: "1", Weight: 1}}),
			phase("3", "Integration", "2A, 2B, 2C", plan.Phase{Tasks: tasks}),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// tale is a run told by its events, each a second after the one before unless said otherwise.
type tale struct {
	t      testing.TB
	run    state.Run
	now    time.Time
	events []state.Event
	see    func(state.Event, *state.Run) // may be nil
}

func begin(t testing.TB, p *plan.Plan, see func(state.Event, *state.Run)) *tale {
	t.Helper()
	x := &tale{t: t, now: midnight, see: see}
	var seeds []state.Seed
	for _, phase := range p.Phases() {
		seeds = append(seeds, state.Seed{ID: phase.ID, Label: phase.Label, Name: phase.Name, DependsOn: phase.DependsOn, MaxAttempts: 2})
	}
	x.tell(state.Event{Type: state.RunStarted, Phases: seeds, Config: &state.Config{
		Schema: state.Schema, RunID: "01JDZ8", Autobuild: "0.1.0", Plan: p.Path, PlanTitle: p.Title, CommitMode: state.CommitAuto,
		Agent: "claude", Model: "sonnet", Isolation: state.Worktree, Schedule: "batch", RetryPolicy: "single", Jobs: 3, Stack: "node (pnpm)",
		Started: x.now, Sessions: 1, Counts: state.Counts{Phases: p.Len(), Batches: len(p.Batches())},
		Setup: []string{"pnpm install --frozen-lockfile"},
		Gates: []state.GateSpec{
			{Name: "lint", Kind: "lint", Command: "pnpm lint", Source: "package.json", Available: true},
			{Name: "typecheck", Kind: "typecheck", Command: "tsc --noEmit", Source: "package.json", Tool: "tsc"},
			{Name: "test", Kind: "test", Command: "pnpm test", Source: "package.json", Available: true},
		},
	}})
	return x
}

func (x *tale) tell(e state.Event) {
	x.t.Helper()
	x.now = x.now.Add(time.Second)
	e.V, e.Run, e.Time = state.EventVersion, "01JDZ8", x.now
	if e.Type.Lifecycle() {
		e.Seq = x.run.Seq + 1
	}
	if p, ok := x.run.Find(e.Phase); ok {
		e.Label, e.Name = p.Label, p.Name
	}
	if err := x.run.Apply(e); err != nil {
		x.t.Fatal(err)
	}
	x.events = append(x.events, e)
	if x.see != nil {
		x.see(e, &x.run)
	}
}

func (x *tale) start(id string) {
	x.t.Helper()
	p, _ := x.run.Find(id)
	x.tell(state.Event{Type: state.PhaseStarted, Phase: id, Attempt: len(p.Attempts) + 1, Attempts: 2, Print: "f"})
}

func (x *tale) finish(id string, a state.Attempt) {
	x.t.Helper()
	p, _ := x.run.Find(id)
	last, _ := p.Last()
	a.N, a.Started = len(p.Attempts), last.Started
	a.Log = "logs/phase-" + id + "." + string(rune('0'+a.N)) + ".log"
	x.tell(state.Event{Type: state.AttemptFinished, Phase: id, Result: &a})
}

func (x *tale) complete(id, message string) {
	x.t.Helper()
	x.finish(id, state.Attempt{
		Duration: 271 * time.Second, Verdict: state.Verified, Usage: state.Usage{CostUSD: 0.42, InputTokens: 52000, OutputTokens: 1200},
		Commit: &state.Commit{SHA: "a1b2c3d4e5f6", Message: message, Delivered: true},
	})
}

// fail ends an attempt with failing tests.
func (x *tale) fail(id string, action failure.Action) {
	x.t.Helper()
	x.decide(id, failure.Decision{Action: action, Attempts: 2, Rationale: "the second failure of the same attempt is final"})
}

// decide fails a phase's attempt, with what was decided about it.
func (x *tale) decide(id string, d failure.Decision) {
	x.t.Helper()
	x.finish(id, state.Attempt{
		Duration: 541 * time.Second, Verdict: state.Refused, Usage: state.Usage{CostUSD: 0.84}, Dir: ".autobuild/worktrees/" + id,
		Changes: state.Changes{Modified: []string{"src/api/auth.ts"}},
		Gates: []state.Gate{
			{Name: "lint", Status: state.GatePassed, Log: "logs/phase-" + id + ".lint.log"},
			{Name: "typecheck", Status: state.GateNotAvailable},
			{Name: "test", Status: state.GateFailed, Log: "logs/phase-" + id + ".test.log"},
		},
		Failure: &failure.Diagnosis{
			Type: failure.TestFailure, Message: "3 tests failing - validateToken returns null instead of user object",
			Details: "expected: user object\nreceived: null", Gate: "test", Command: "pnpm test -- --commit=auto", Count: 3, Retryable: true,
			Tests: []failure.Test{
				{Name: "validateToken", File: "src/api/auth.test.ts", Line: 45},
				{Name: "refreshToken", File: "src/api/auth.test.ts", Line: 61},
				{Name: "handleExpired"},
			},
			Fingerprint: "0123",
			Actions: []string{
				"Fix the failing tests in src/api/auth.test.ts", "Check whether they are flaky: run `pnpm test` twice in the phase's worktree",
				"Read the end of the agent's log: `" + failure.Logs + "`",
			},
		},
		Decision: &d,
	})
}

func (x *tale) end(outcome state.Outcome, reason string) {
	x.t.Helper()
	x.tell(state.Event{Type: state.RunFinished, End: &state.End{
		Outcome: outcome, Exit: 1, Reason: reason, Time: x.now, Elapsed: 42*time.Minute + 10*time.Second, Totals: x.run.Totals(),
	}})
}

// halted is the run of the failure handling document: 2A fails twice.
func halted(t testing.TB, see func(state.Event, *state.Run)) *tale {
	t.Helper()
	x := begin(t, feature(t), see)
	x.start("0")
	x.tell(state.Event{Type: state.AgentFinished, Phase: "0", Usage: &state.Usage{CostUSD: 0.42}})
	x.tell(state.Event{Type: state.GateStarted, Phase: "0", Gate: &state.Gate{Name: "lint", Command: "pnpm lint"}})
	x.tell(state.Event{Type: state.GateFinished, Phase: "0", Gate: &state.Gate{Name: "lint", Status: state.GatePassed, Duration: 3200 * time.Millisecond}})
	x.tell(state.Event{Type: state.GateFinished, Phase: "0", Gate: &state.Gate{Name: "typecheck", Status: state.GateNotAvailable, Missing: "tsc"}})
	x.tell(state.Event{Type: state.GateFinished, Phase: "0", Gate: &state.Gate{Name: "test", Status: state.GatePassed, Count: 47, Duration: 12 * time.Second}})
	x.complete("0", "chore(bootstrap): add quality tools\n\nbody")
	x.start("1")
	x.complete("1", "feat(db): add user schema")
	x.start("2a")
	x.start("2b")
	x.start("2c")
	x.tell(state.Event{Type: state.Activity, Phase: "2b", Text: "Edit src/ui/Login.tsx"})
	x.now = x.now.Add(8 * time.Minute)
	x.tell(state.Event{Type: state.Heartbeat})
	x.complete("2c", "test(auth): add edge cases")
	x.tell(state.Event{Type: state.GateFinished, Phase: "2a", Gate: &state.Gate{
		Name: "test", Status: state.GateFailed, Count: 47, Failed: 3, Exit: 1, Duration: 71 * time.Second, Log: "logs/phase-2a.1.test.log",
	}})
	x.fail("2a", failure.Retry)
	x.complete("2b", "feat(ui): add login form")
	x.start("2a")
	x.fail("2a", failure.Fail)
	x.tell(state.Event{Type: state.PhaseBlocked, Phase: "3", By: "2a"})
	x.end(state.Halted, "Phase 2A failed after retry")
	return x
}

// many is a run of a hundred phases: sixty complete, three failed, the rest blocked.
func many(t testing.TB) *state.Run {
	t.Helper()
	var phases []plan.DraftPhase
	for i := range 100 {
		phases = append(phases, plan.DraftPhase{
			Phase: plan.Phase{Label: label(i), Name: "Part " + label(i)}, Needs: []plan.Ref{{Text: "none"}},
		})
	}
	p, err := plan.New(plan.Draft{Path: "plan.md", Dialect: "superplan", Phases: phases})
	if err != nil {
		t.Fatal(err)
	}
	x := begin(t, p, nil)
	for i := range 63 {
		x.start(label(i))
		if i < 60 {
			x.complete(label(i), "feat: part "+label(i))
		} else {
			x.fail(label(i), failure.Fail)
		}
	}
	for i := 63; i < 100; i++ {
		x.tell(state.Event{Type: state.PhaseBlocked, Phase: label(i), By: "60"})
	}
	x.end(state.Halted, "")
	return &x.run
}

func label(i int) string { return strconv.Itoa(i) }

// hard is a finished run with everything that needs a word: unverified, upgraded, retried, undelivered, overlapping.
func hard(t testing.TB) *state.Run {
	t.Helper()
	x := begin(t, feature(t), nil)
	for _, id := range []string{"0", "1", "2a", "2b", "2c", "3"} {
		x.start(id)
		a := state.Attempt{Verdict: state.Verified, Duration: time.Minute, Commit: &state.Commit{SHA: "0123456789", Message: "feat: " + id}}
		switch id {
		case "1":
			a.Verdict = state.Unverified
		case "2a":
			x.fail(id, failure.Retry)
			x.start(id)
			a.Warnings = []string{"2 tests were deleted: src/old.test.ts"}
		case "2b":
			a.Verdict = state.Upgraded
			a.Commit.Overlap = []string{"src/api/routes.ts"}
		}
		x.finish(id, a)
	}
	x.tell(state.Event{Type: state.RunFinished, End: &state.End{
		Outcome: state.Done, Time: x.now, Elapsed: 42 * time.Minute, Merge: "git merge autobuild/01JDZ8", Branch: "autobuild/01JDZ8",
		Why: "main moved while the run worked",
	}})
	return &x.run
}

// disputed is a finished run in which two phases changed their own referee.
func disputed(t testing.TB) *state.Run {
	t.Helper()
	x := begin(t, feature(t), nil)
	gone := func(file, test string, line int) state.RefereeChange {
		return state.RefereeChange{
			Ruling: state.RulingContested, Cause: state.CauseRemoved, File: file, Line: line, Test: test, What: "the function parseLegacy is gone",
			Why: "the plan drops the legacy format", Group: "parseLegacy",
		}
	}
	for _, id := range []string{"0", "1", "2a", "2b", "2c", "3"} {
		x.start(id)
		a := state.Attempt{Verdict: state.Verified, Duration: time.Minute, Commit: &state.Commit{SHA: "0123456789", Message: "feat: " + id, Delivered: true}}
		switch id {
		case "1":
			a.Proof = state.ProofRedGreen
			a.Referee = []state.RefereeChange{{
				Ruling: state.RulingAsked, Cause: state.CauseValue, File: "src/rate.test.ts", Line: 4, Test: "rate", What: "19 → 21", Why: "the rate rises to 21",
			}}
		case "2a":
			a.Proof = state.ProofRegression
			a.Referee = []state.RefereeChange{
				gone("src/legacy.test.ts", "parses 界 dates", 12), gone("src/legacy.test.ts", "parses times", 30), gone("src/old.test.ts", "keeps zones", 3),
				{Ruling: state.RulingContested, Cause: state.CauseGate, File: "package.json", Line: 9, Test: "scripts.lint", What: "eslint . → eslint src", Why: "dist is generated"},
				{Ruling: state.RulingRecorded, Cause: state.CauseStronger, File: "tsconfig.json", What: "strict: true"},
			}
		case "3":
			a.Proof = state.ProofNone
			a.Referee = []state.RefereeChange{{
				Ruling: state.RulingContested, Cause: state.CauseValue, File: "e2e/total.spec.ts", Line: 40, Test: "shows the total", What: "toBe(3) → toBe(4)", Why: "counted anew",
			}}
		}
		x.finish(id, a)
	}
	x.end(state.Done, "all phases complete")
	return &x.run
}

// partial is a run that did the two phases that it was asked for, and had one of them reset since.
func partial(t testing.TB) *state.Run {
	t.Helper()
	x := begin(t, feature(t), nil)
	for _, id := range []string{"0", "1", "2a"} {
		x.start(id)
		x.complete(id, "feat: "+id)
	}
	x.end(state.Done, "all phases complete")
	x.tell(state.Event{Type: state.PhaseReset, Phase: "2a", Text: "reset by hand", User: true})
	return &x.run
}

// going is a run in the middle: two phases run, one was stopped, nothing has ended.
func going(t testing.TB) *tale {
	t.Helper()
	x := begin(t, feature(t), nil)
	ready(x)
	x.tell(state.Event{Type: state.PhaseInterrupted, Phase: "2c"})
	x.now = x.now.Add(time.Hour)
	return x
}

// stopped was interrupted, or ran out of something, in the middle.
func stopped(t testing.TB, outcome state.Outcome, reason string) *state.Run {
	t.Helper()
	x := begin(t, feature(t), nil)
	x.start("0")
	x.complete("0", "chore(bootstrap): add quality tools")
	x.start("1")
	if outcome == state.Interrupted {
		x.tell(state.Event{Type: state.PhaseInterrupted, Phase: "1"})
	} else {
		x.finish("1", state.Attempt{
			Failure:  &failure.Diagnosis{Type: failure.UsageLimit, Message: "5-hour limit reached"},
			Decision: &failure.Decision{Action: failure.Wait, Until: midnight.Add(3 * time.Hour)},
		})
	}
	x.end(outcome, reason)
	return &x.run
}

// poisoned is the halted run with one hostile text everywhere that text can come from outside.
func poisoned(t testing.TB, text string) *state.Run {
	t.Helper()
	x := halted(t, nil)
	run := &x.run
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
					Type: failure.Type(text), Cause: failure.Type("x" + text), Message: text, Details: strings.Repeat(text+"\n", 3), Command: text, Activity: text,
					Package: text, RequiredBy: text, Files: []string{text}, Claimed: []string{text}, Found: []string{text}, Actions: []string{text, text},
					Tests:     []failure.Test{{Name: text, File: text, Line: 3}},
					Conflicts: []failure.Conflict{{File: text, Phase: text, Lines: text, Other: text, OtherLines: text}},
				}
			}
		}
	}
	return run
}

func ending() Ending {
	return Ending{
		Resume: []string{"autobuild", "docs/feature-plan.md", "--commit=auto", "--resume"},
		Dir:    ".autobuild", Files: 6,
	}
}
