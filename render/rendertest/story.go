// Package rendertest holds runs that are made of events, and checks, for the tests of everything
// that shows a run. One set of runs for all outputs shows that they agree. It does not know what an
// output looks like.
package rendertest

import (
	"testing"
	"time"

	"autobuild/failure"
	"autobuild/plan"
	"autobuild/state"
)

// Midnight is when each story begins.
var Midnight = time.Date(2026, 11, 21, 2, 17, 4, 0, time.UTC)

// FeaturePlan is the plan of the failure handling document's halt summary.
func FeaturePlan(t testing.TB) *plan.Plan {
	t.Helper()
	phase := func(label, name, needs string, p plan.Phase) plan.DraftPhase {
		p.Label, p.Name = label, name
		return plan.DraftPhase{Phase: p, Needs: []plan.Ref{{Text: needs}}}
	}
	tasks := []plan.Task{{Text: "one", Done: true}, {Text: "two"}, {Text: "three"}}
	p, err := plan.New(plan.Draft{
		Path: "docs/feature-plan.md", Title: "Feature plan 機能計画", Reading: "table",
		Phases: []plan.DraftPhase{
			phase("0", "Bootstrap", "None", plan.Phase{
				Tasks: tasks, Status: plan.StatusDone,
				Estimate: plan.Estimate{Text: "2", Weight: 2}, Pos: plan.Pos{Line: 12, Col: 1},
				Files:  plan.Files{Create: []string{"Makefile", ".golangci.yml"}},
				Commit: "chore(bootstrap): add quality tools",
			}),
			phase("1", "Setup", "0",
				plan.Phase{Tasks: tasks, Estimate: plan.Estimate{Text: "3", Weight: 3}}),
			phase("2A", "Backend", "1", plan.Phase{
				Tasks: tasks, Criteria: tasks[:1], Estimate: plan.Estimate{Text: "5", Weight: 5},
				Files: plan.Files{
					Modify: []string{"src/api/auth.ts"},
					Test:   []string{"src/api/auth.test.ts"},
				},
				Gates: []plan.Gate{{Name: "test", Command: "npm test -- auth"}},
			}),
			phase("2B", "Frontend 前端界面 🚀", "1",
				plan.Phase{Estimate: plan.Estimate{Text: "5", Weight: 5}}),
			phase("2C", "Tests", "1", plan.Phase{Estimate: plan.Estimate{Text: "1", Weight: 1}}),
			phase("3", "Integration", "2A, 2B, 2C", plan.Phase{Tasks: tasks}),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Story is a run made of its events, each a second after the one before unless said otherwise.
type Story struct {
	t      testing.TB
	Run    state.Run
	Now    time.Time
	Events []state.Event
	see    func(state.Event, *state.Run) // may be nil
}

// Begin starts a run of a plan. See is called after each event.
func Begin(t testing.TB, p *plan.Plan, see func(state.Event, *state.Run)) *Story {
	t.Helper()
	x := &Story{t: t, Now: Midnight, see: see}
	var seeds []state.Seed
	for _, phase := range p.Phases() {
		seeds = append(seeds, state.Seed{
			ID: phase.ID, Label: phase.Label, Name: phase.Name,
			DependsOn: phase.DependsOn, MaxAttempts: 2,
		})
	}
	x.Tell(state.Event{Type: state.RunStarted, Phases: seeds, Config: &state.Config{
		Schema: state.Schema, RunID: "01JDZ8", Autobuild: "0.1.0", Plan: p.Path, PlanTitle: p.Title,
		CommitMode: state.CommitAuto,
		Agent:      "claude", Model: "sonnet", Isolation: state.Worktree, Schedule: "batch",
		RetryPolicy: "single", Jobs: 3, Stack: "node (pnpm)",
		Started: x.Now, Sessions: 1,
		Counts: state.Counts{Phases: p.Len(), Batches: len(p.Batches())},
		Setup:  []string{"pnpm install --frozen-lockfile"},
		Gates: []state.GateSpec{
			{
				Name: "lint", Kind: "lint", Command: "pnpm lint", Source: "package.json",
				Available: true,
			},
			{
				Name: "typecheck", Kind: "typecheck", Command: "tsc --noEmit", Source: "package.json",
				Tool: "tsc",
			},
			{
				Name: "test", Kind: "test", Command: "pnpm test", Source: "package.json",
				Available: true,
			},
		},
	}})
	return x
}

// Tell applies an event, one second after the one before.
func (x *Story) Tell(e state.Event) {
	x.t.Helper()
	x.Now = x.Now.Add(time.Second)
	e.V, e.Run, e.Time = state.EventVersion, "01JDZ8", x.Now
	if e.Type.Lifecycle() {
		e.Seq = x.Run.Seq + 1
	}
	if p, ok := x.Run.Find(e.Phase); ok {
		e.Label, e.Name = p.Label, p.Name
	}
	if err := x.Run.Apply(e); err != nil {
		x.t.Fatal(err)
	}
	x.Events = append(x.Events, e)
	if x.see != nil {
		x.see(e, &x.Run)
	}
}

// Start begins an attempt at a phase.
func (x *Story) Start(id string) {
	x.t.Helper()
	p, _ := x.Run.Find(id)
	x.Tell(state.Event{
		Type: state.PhaseStarted, Phase: id, Attempt: len(p.Attempts) + 1,
		Attempts: 2, Print: "f",
	})
}

// Finish ends the attempt of a phase.
func (x *Story) Finish(id string, a state.Attempt) {
	x.t.Helper()
	p, _ := x.Run.Find(id)
	last, _ := p.Last()
	a.N, a.Started = len(p.Attempts), last.Started
	a.Log = "logs/phase-" + id + "." + string(rune('0'+a.N)) + ".log"
	x.Tell(state.Event{Type: state.AttemptFinished, Phase: id, Result: &a})
}

// Complete ends the attempt of a phase with a commit.
func (x *Story) Complete(id, message string) {
	x.t.Helper()
	x.Finish(id, state.Attempt{
		Duration: 271 * time.Second, Verdict: state.Verified,
		Usage:  state.Usage{CostUSD: 0.42, InputTokens: 52000, OutputTokens: 1200},
		Commit: &state.Commit{SHA: "a1b2c3d4e5f6", Message: message, Delivered: true},
	})
}

// Fail ends an attempt with failing tests.
func (x *Story) Fail(id string, action failure.Action) {
	x.t.Helper()
	x.Decide(id, failure.Decision{
		Action: action, Attempts: 2,
		Rationale: "the second failure of the same attempt is final",
	})
}

// Decide fails a phase's attempt, with what was decided about it.
func (x *Story) Decide(id string, d failure.Decision) {
	x.t.Helper()
	x.Finish(id, state.Attempt{
		Duration: 541 * time.Second, Verdict: state.Refused, Usage: state.Usage{CostUSD: 0.84},
		Dir:     ".autobuild/worktrees/" + id,
		Changes: state.Changes{Modified: []string{"src/api/auth.ts"}},
		Gates: []state.Gate{
			{Name: "lint", Status: state.GatePassed, Log: "logs/phase-" + id + ".lint.log"},
			{Name: "typecheck", Status: state.GateNotAvailable},
			{Name: "test", Status: state.GateFailed, Log: "logs/phase-" + id + ".test.log"},
		},
		Failure: &failure.Diagnosis{
			Type:    failure.TestFailure,
			Message: "3 tests failing - validateToken returns null instead of user object",
			Details: "expected: user object\nreceived: null", Gate: "test",
			Command: "pnpm test -- --commit=auto", Count: 3, Retryable: true,
			Tests: []failure.Test{
				{Name: "validateToken", File: "src/api/auth.test.ts", Line: 45},
				{Name: "refreshToken", File: "src/api/auth.test.ts", Line: 61},
				{Name: "handleExpired"},
			},
			Fingerprint: "0123",
			Actions: []string{
				"Fix the failing tests in src/api/auth.test.ts",
				"Check whether they are flaky: run `pnpm test` twice in the phase's worktree",
				"Read the end of the agent's log: `" + failure.Logs + "`",
			},
		},
		Decision: &d,
	})
}

// End ends the session.
func (x *Story) End(outcome state.Outcome, reason string) {
	x.t.Helper()
	x.Tell(state.Event{Type: state.RunFinished, End: &state.End{
		Outcome: outcome, Exit: 1, Reason: reason, Time: x.Now, Elapsed: 42*time.Minute +
			10*time.Second, Totals: x.Run.Totals(),
	}})
}
