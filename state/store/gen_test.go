package store

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"autobuild/failure"
	"autobuild/state"
)

// same compares by what is said: times by their instant, nil and empty lists alike.
func same() cmp.Options {
	return cmp.Options{cmpopts.IgnoreUnexported(state.Run{}), cmpopts.EquateEmpty()}
}

func at(n int) time.Time { return time.Date(2026, 1, 2, 3, 4, n, 0, time.UTC) }

// tester is the common interface of *testing.T and *rapid.T.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
	Fatal(args ...any)
}

// openDir opens a state directory that syncs nothing, for tests that do not count syncs.
func openDir(t tester, dir string) *Dir {
	t.Helper()
	d, err := open(dir, "", Holder{PID: os.Getpid(), Host: "here", Started: at(0)}, func() time.Time { return at(0) }, 0)
	if err != nil {
		t.Fatal(err)
	}
	d.files.write = func(root *os.Root, name string, data []byte, perm os.FileMode) error {
		return root.WriteFile(filepath.FromSlash(name), data, perm)
	}
	return d
}

func stateDir(t testing.TB) string { return filepath.Join(t.TempDir(), ".autobuild") }

// happen applies and saves, as the loop does.
func happen(t tester, d *Dir, r *state.Run, events ...state.Event) {
	t.Helper()
	for _, e := range events {
		e.V, e.Seq, e.Run = state.EventVersion, r.Seq+1, "r1"
		if e.Time.IsZero() {
			e.Time = at(int(e.Seq))
		}
		if err := r.Apply(e); err != nil {
			t.Fatal(err)
		}
		if err := d.Event(e, r); err != nil {
			t.Fatal(err)
		}
	}
}

func seeds() []state.Seed {
	return []state.Seed{
		{ID: "0", Label: "0", Name: "Bootstrap", MaxAttempts: 2},
		{ID: "1", Label: "1", Name: "Setup <db> & co", DependsOn: []string{"0"}, MaxAttempts: 2},
		{ID: "2a", Label: "2A", Name: "Backend", DependsOn: []string{"1"}, MaxAttempts: 2},
		{ID: "2b", Label: "2B", Name: "Frontend 界", DependsOn: []string{"1"}, MaxAttempts: 2},
		{ID: "3", Label: "3", Name: "Integration", DependsOn: []string{"2a", "2b"}, MaxAttempts: 2},
	}
}

func begin(session int, how state.Isolation) state.Event {
	return state.Event{Type: state.RunStarted, Phases: seeds(), Config: &state.Config{
		Schema: 1, RunID: "r1", Autobuild: "test", Plan: "PLAN.md", PlanHash: "h", CommitMode: state.CommitAuto, Agent: "script",
		Isolation: how, Schedule: "batch", RetryPolicy: "single", Jobs: 4, Started: at(0), Sessions: session,
		Gates:  []state.GateSpec{{Name: "test", Kind: "test", Command: "go test ./... && echo <ok>", Source: "go.mod", Available: true}},
		Counts: state.Counts{Phases: 5, Batches: 4, Tasks: 9},
	}}
}

func started(id string, n int) state.Event {
	return state.Event{
		Type: state.PhaseStarted, Phase: id, Attempt: n, Attempts: 2, Key: fmt.Sprintf("key%d", n), Print: "fp-" + id, Agent: "script", Account: "acme",
	}
}

// result is an attempt with something in every field.
func result(n int) *state.Attempt {
	return &state.Attempt{
		N: n, Key: fmt.Sprintf("key%d", n), Started: at(n), Ended: at(n + 5), Duration: 5*time.Second + 7, Agent: "script", Account: "acme", Model: "m", Session: "s", Tier: "opus",
		Log: fmt.Sprintf("logs/phase-2a.%d.log", n), Dir: ".autobuild/worktrees/2a", Branch: "autobuild/r1/2a", Base: "b45e",
		ExitCode: 3, Report: &state.Report{
			Complete: true, Tasks: failure.TaskCount{Total: 4, Done: 4}, Gates: map[string]bool{"test": true, "lint": false},
			Commit: "feat: x", Created: []string{"a b.go"}, Error: "none", ErrType: "test_failure", Category: failure.Ambiguity, Retry: new(false), Implied: true,
		},
		Tasks:   failure.TaskCount{Total: 4, Done: 3},
		Changes: state.Changes{Created: []string{"new\nline.go"}, Modified: []string{"m.go"}, Deleted: []string{"d.go"}},
		Gates: []state.Gate{
			{Name: "lint", Kind: "lint", Command: "golint", Fix: "golint -fix", Status: state.GatePassed, Duration: time.Millisecond},
			{
				Name: "test", Kind: "test", Command: "go test", Status: state.GateFailed, Exit: 1, Count: 47, Failed: 3, Log: "logs/x", Tail: "FAIL\n",
				Tests: []failure.Test{{Name: "TestX", File: "x_test.go", Line: 3, Message: "null"}}, Places: []failure.Place{{File: "x.go", Line: 1, Col: 2, Rule: "r", Message: "m"}},
			},
			{Name: "vet", Kind: "custom", Command: "vet", Status: state.GateNotAvailable, Missing: "vet"},
			{Name: "e2e", Kind: "custom", Command: "e2e", Status: state.GateFailed, Exit: 1, Before: state.NotComparable, Tail: "moon\n"},
			{Name: "test", Kind: "test", Command: "go test", Status: state.GatePassed, Landing: true},
			{Name: "test", Kind: "test", Command: "go test", Status: state.GatePassed, Landing: true, Count: 2, Flaky: true},
		},
		Referee: []state.RefereeChange{{
			Ruling: state.RulingContested, Cause: state.CauseValue, File: "x_test.go", Line: 3, Test: "TestX", What: "want 1 → want 2", Why: "asked", Group: "X",
		}},
		Review: &state.Review{
			Agent: "codex", Model: "m", Reason: "it changes 11 files", Omitted: 1, Log: "logs/r",
			Findings: []state.Finding{{
				Ruling: state.FindingNote, Why: "its witness passes on the work", Severity: "low", File: "x.go", Line: 3, Claim: "slow",
				Witness: &state.Witness{File: "x_test.go", Command: "go test ."},
			}},
		},
		Proof: state.ProofRedGreen, Warnings: []string{"tests were skipped"}, Usage: state.Usage{CostUSD: 0.1, InputTokens: 10, OutputTokens: 20},
	}
}

func passed(id string, n int) state.Event {
	a := result(n)
	a.Verdict = state.Verified
	a.Commit = &state.Commit{SHA: "c0ffee", Message: "feat: x\n\nbody", Delivered: true, Overlap: []string{"go.mod"}, PlanMarked: n == 1}
	return state.Event{Type: state.AttemptFinished, Phase: id, Attempt: n, Result: a}
}

func failed(id string, n int, action failure.Action) state.Event {
	a := result(n)
	a.Verdict = state.Refused
	a.Failure = &failure.Diagnosis{
		Type: failure.TestFailure, Category: failure.Execution, Message: "3 tests failing", Count: 4 - n, Class: failure.Classification{Class: failure.StoryLevel}, Details: "x\ny", Retryable: true, Fingerprint: "f", Guidance: "fix",
		Tests: []failure.Test{{Name: "validateToken"}}, After: time.Second, Actions: []string{"look"}, Conflicts: []failure.Conflict{{File: "a", Phase: "2A", Lines: "1-2"}},
	}
	a.Decision = &failure.Decision{
		Action: action, Attempts: 2, Rationale: "one retry", Rule: "single.retry", Until: at(50), Delay: time.Second, Propose: n == 2,
	}
	return state.Event{Type: state.AttemptFinished, Phase: id, Attempt: n, Result: a}
}

func of(kind state.EventType, id string) state.Event {
	return state.Event{Type: kind, Phase: id, By: "2a", Text: "because"}
}

func end() state.Event {
	return state.Event{Type: state.RunFinished, End: &state.End{Outcome: state.Halted, Exit: 1, Reason: "Phase 2A failed after retry", Time: at(59), Elapsed: time.Minute, Resume: []string{"autobuild", "a plan.md", "--resume"}}}
}

// story is a run in which every status occurs.
func story(t tester, d *Dir) *state.Run {
	t.Helper()
	r := &state.Run{}
	happen(t, d, r, begin(1, state.Worktree), started("0", 1), passed("0", 1),
		started("1", 1), failed("1", 1, failure.Retry), started("1", 2), passed("1", 2),
		started("2a", 1), started("2b", 1), failed("2a", 1, failure.Retry), failed("2b", 1, failure.Wait),
		started("2a", 2), failed("2a", 2, failure.Fail), of(state.PhaseBlocked, "3"))
	return r
}

// draw makes up an event with random content. It need not be possible.
func draw(t *rapid.T, r *state.Run, how state.Isolation) state.Event {
	word := rapid.StringN(0, 8, 30)
	p := &r.Phases[rapid.IntRange(0, len(r.Phases)-1).Draw(t, "phase")]
	n := len(p.Attempts)
	switch rapid.SampledFrom([]string{"start", "start", "start", "pass", "fail", "fail", "interrupt", "block", "skip", "reset", "accept", "mend", "session"}).Draw(t, "kind") {
	case "start":
		e := started(p.ID, n+1)
		e.Print = rapid.SampledFrom([]string{"fp", "fp", "fp", "another"}).Draw(t, "print")
		return e
	case "pass":
		e := passed(p.ID, n)
		e.Result.Commit.Message = word.Draw(t, "message")
		e.Result.Verdict = rapid.SampledFrom([]state.Verdict{state.Verified, state.Unverified, state.Upgraded}).Draw(t, "verdict")
		if how == state.NoIsolation && rapid.Bool().Draw(t, "no commit") {
			e.Result.Commit = nil
		}
		return e
	case "fail":
		e := failed(p.ID, n, rapid.SampledFrom([]failure.Action{
			failure.Retry, failure.Fail, failure.Wait, failure.Halt, failure.Block, failure.Replan, failure.Arbitrate, failure.Escalate, failure.Freeze,
		}).Draw(t, "action"))
		e.Result.Decision.To = rapid.SampledFrom([]string{"", "opus", failure.ToUser, failure.ToSequential}).Draw(t, "to")
		e.Result.Decision.Propose = rapid.Bool().Draw(t, "propose")
		e.Result.Failure.Count = rapid.IntRange(0, 4).Draw(t, "count")
		e.Result.Failure.Message = word.Draw(t, "message")
		e.Result.Duration = time.Duration(rapid.Int64Range(0, int64(400*24*time.Hour)).Draw(t, "duration"))
		e.Result.Gates = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) state.Gate {
			return state.Gate{
				Name:   rapid.SampledFrom([]string{"test", "lint", "test (2)", "test (landing)", "täst"}).Draw(t, "gate"),
				Status: state.GatePassed, Landing: rapid.Bool().Draw(t, "landing"), Tail: word.Draw(t, "tail"),
			}
		}), 0, 6).Draw(t, "gates")
		if rapid.Bool().Draw(t, "no decision") {
			e.Result.Decision = nil
		}
		return e
	case "interrupt":
		return of(state.PhaseInterrupted, p.ID)
	case "block":
		return of(state.PhaseBlocked, p.ID)
	case "skip":
		return of(state.PhaseSkipped, p.ID)
	case "accept":
		return of(state.PhaseAccepted, p.ID)
	case "mend":
		e := of(state.PhaseMended, p.ID)
		e.Commit, e.Text = &state.Commit{SHA: rapid.StringMatching(`[0-9a-f]{40}`).Draw(t, "sha"), Message: "feat: mended"}, "told"
		return e
	case "session":
		e := begin(r.Config.Sessions+1, how)
		for i := range e.Phases {
			e.Phases[i].MaxAttempts = rapid.IntRange(1, 4).Draw(t, "max")
			e.Phases[i].Name = word.Draw(t, "name")
		}
		return e
	}
	e := of(state.PhaseReset, p.ID)
	e.User = rapid.Bool().Draw(t, "user")
	return e
}
