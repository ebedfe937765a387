package state_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"autobuild/failure"
	"autobuild/state"
)

// sameRun compares runs by what they say: times by their instant, nil and empty lists alike.
func sameRun() cmp.Options {
	return cmp.Options{cmpopts.IgnoreUnexported(state.Run{}), cmpopts.EquateEmpty()}
}

func at(n int) time.Time { return time.Date(2026, 1, 2, 3, 4, n, 0, time.UTC) }

func apply(t *testing.T, r *state.Run, events ...state.Event) {
	t.Helper()
	for _, e := range events {
		e.Seq = r.Seq + 1
		e.Time = at(int(e.Seq))
		if err := r.Apply(e); err != nil {
			t.Fatalf("%s: %v", e.Type, err)
		}
	}
}

func begin(ids ...string) state.Event {
	e := state.Event{Type: state.RunStarted, Config: &state.Config{RunID: "r1"}}
	for _, id := range ids {
		e.Phases = append(e.Phases, state.Seed{ID: id, Label: strings.ToUpper(id), MaxAttempts: 2})
	}
	return e
}

func started(id string, n int) state.Event {
	return state.Event{Type: state.PhaseStarted, Phase: id, Attempt: n, Key: "k", Print: "p"}
}

func passed(id string, n int) state.Event {
	return state.Event{Type: state.AttemptFinished, Phase: id, Attempt: n, Result: &state.Attempt{
		N:       n,
		Verdict: state.Verified, Commit: &state.Commit{SHA: "c0ffee", Message: "feat: x"}, Usage: state.Usage{CostUSD: 0.5},
	}}
}

func failed(id string, n int, action failure.Action) state.Event {
	return state.Event{Type: state.AttemptFinished, Phase: id, Attempt: n, Result: &state.Attempt{
		N:       n,
		Verdict: state.Refused, Failure: &failure.Diagnosis{Type: failure.TestFailure, Message: "3 tests failing"},
		Decision: &failure.Decision{Action: action, Until: at(59)}, Usage: state.Usage{CostUSD: 0.25},
	}}
}

func of(kind state.EventType, id string) state.Event {
	return state.Event{Type: kind, Phase: id, By: "0", Text: "because"}
}

// inStatus is a run whose phase "a" is in each status, and how it came there.
func inStatus(t *testing.T) map[string]*state.Run {
	t.Helper()
	ways := map[string][]state.Event{
		"contested":       {started("a", 1), contesting("a", 1)},
		"pending":         nil,
		"running":         {started("a", 1)},
		"waiting":         {started("a", 1), failed("a", 1, failure.Wait)},
		"complete":        {started("a", 1), passed("a", 1)},
		"failed":          {started("a", 1), failed("a", 1, failure.Fail)},
		"failed, retry":   {started("a", 1), failed("a", 1, failure.Retry)},
		"blocked":         {of(state.PhaseBlocked, "a")},
		"skipped":         {of(state.PhaseSkipped, "a")},
		"running attempt": {started("a", 1), failed("a", 1, failure.Retry), started("a", 2)},
	}
	runs := map[string]*state.Run{}
	for name, events := range ways {
		r := &state.Run{}
		apply(t, r, begin("a", "b"))
		apply(t, r, events...)
		runs[name] = r
	}
	return runs
}

// TestTransitions is the whole table: every status, every event, allowed or refused.
func TestTransitions(t *testing.T) {
	allowed := map[state.EventType][]string{
		state.PhaseStarted:     {"pending", "waiting", "failed, retry"},
		state.AttemptFinished:  {"running", "running attempt"},
		state.PhaseInterrupted: {"running", "running attempt"},
		state.PhaseBlocked:     {"pending"},
		state.PhaseSkipped:     {"pending"},
		state.PhaseAccepted:    {"contested"},
		state.PhaseMended:      {"complete", "contested"},
		state.PhaseReset: {
			"pending", "running", "waiting", "complete", "contested", "failed", "failed, retry", "blocked", "skipped",
			"running attempt",
		},
	}
	after := map[state.EventType]state.Status{
		state.PhaseStarted: state.Running, state.AttemptFinished: state.Complete, state.PhaseInterrupted: state.Pending,
		state.PhaseBlocked: state.Blocked, state.PhaseSkipped: state.Skipped, state.PhaseReset: state.Pending,
		state.PhaseAccepted: state.Complete, state.PhaseMended: state.Complete,
	}
	for kind, from := range allowed {
		for name, r := range inStatus(t) {
			before, p := *clone(r), r.Phases[0]
			e := of(kind, "a")
			e.Time = at(30)
			switch n := len(p.Attempts); kind {
			case state.PhaseStarted:
				e.Attempt = n + 1
			case state.AttemptFinished:
				e = passed("a", max(n, 1))
			case state.PhaseMended:
				e.Commit = &state.Commit{SHA: "another"}
			}
			err := r.Apply(e)
			if slices.Contains(from, name) {
				if err != nil || r.Phases[0].Status != after[kind] {
					t.Errorf("%s to a phase that is %s: %v, then it is %s", kind, name, err, r.Phases[0].Status)
				}
				continue
			}
			te, ok := errors.AsType[*state.TransitionError](err)
			if !ok || te.Event != kind || te.Phase != "a" || te.From != p.Status {
				t.Errorf("%s to a phase that is %s: %v, want a TransitionError that says so", kind, name, err)
			}
			if d := cmp.Diff(&before, r, sameRun()); d != "" {
				t.Errorf("%s was refused and still changed the run:\n%s", kind, d)
			}
		}
	}
}

// TestRefusals are the other ways in which an event can be impossible.
func TestRefusals(t *testing.T) {
	twice := begin("a", "a")
	other := begin("a")
	other.Config = &state.Config{RunID: "r2"}
	wrong := passed("a", 2)
	for _, c := range []struct {
		name   string
		before []state.Event
		e      state.Event
		want   string
	}{
		{"not started", nil, started("a", 1), "phase.started cannot happen: no run has started"},
		{"no config", nil, state.Event{Type: state.RunStarted}, "run.started cannot happen: it names no run"},
		{"no run id", nil, state.Event{Type: state.RunStarted, Config: &state.Config{}}, "run.started cannot happen: it names no run"},
		{"another run", []state.Event{begin("a")}, other, "run.started cannot happen: it belongs to run r2, not r1"},
		{"two of an id", nil, twice, "run.started cannot happen to phase a: two phases have this id"},
		{"unknown phase", []state.Event{begin("a")}, started("z", 1), "phase.started cannot happen to phase z: the run has no such phase"},
		{"wrong attempt", []state.Event{begin("a")}, started("a", 2), "phase.started cannot happen to phase a, which is pending: attempt 2 after 0"},
		{"no result", []state.Event{begin("a"), started("a", 1)}, of(state.AttemptFinished, "a"), "which is running: it has no result of this attempt"},
		{"another's result", []state.Event{begin("a"), started("a", 1)}, wrong, "which is running: it has no result of this attempt"},
		{"no end", []state.Event{begin("a")}, of(state.RunFinished, ""), "run.finished cannot happen: it does not say how"},
		{
			"end while running",
			[]state.Event{begin("a"), started("a", 1)},
			state.Event{Type: state.RunFinished, End: &state.End{}},
			"run.finished cannot happen to phase a, which is running",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &state.Run{}
			apply(t, r, c.before...)
			before := clone(r)
			err := r.Apply(c.e)
			if _, ok := errors.AsType[*state.TransitionError](err); !ok || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if d := cmp.Diff(before, r, sameRun()); d != "" {
				t.Errorf("a refused event changed the run:\n%s", d)
			}
		})
	}
}

// TestFold checks what the allowed events leave behind, field by field.
func TestFold(t *testing.T) {
	runs := inStatus(t)
	p := runs["waiting"].Phases[0]
	if len(p.Attempts) != 0 || p.Waits != 1 || !p.Until.Equal(at(59)) || p.Spent.CostUSD != 0.25 {
		t.Errorf("a limit must spend no attempt, and be counted and paid: %+v", p)
	}
	p = runs["failed, retry"].Phases[0]
	if !p.Retry || len(p.Failures()) != 1 || p.Finished.IsZero() {
		t.Errorf("a failed attempt with a try left: %+v", p)
	}
	if p = runs["failed"].Phases[0]; p.Retry {
		t.Error("no try is left after a decision to fail")
	}
	p = runs["complete"].Phases[0]
	if p.Commit == nil || p.Commit.SHA != "c0ffee" || p.Verdict() != state.Verified {
		t.Errorf("complete: %+v", p)
	}

	r := runs["running attempt"]
	apply(t, r, of(state.PhaseInterrupted, "a"))
	if p = r.Phases[0]; len(p.Attempts) != 1 || p.Status != state.Pending {
		t.Errorf("an interruption must keep the failed attempt and spend none: %+v", p)
	}
	apply(t, r, started("a", 2), failed("a", 2, failure.Fail))
	reset := of(state.PhaseReset, "a")
	apply(t, r, reset)
	want := state.Phase{
		ID: "a", Label: "A", Status: state.Pending, MaxAttempts: 2, Fingerprint: "p", Reason: "because",
		Was: state.Failed, Spent: state.Usage{CostUSD: 0.5}, Created: at(1), Updated: r.Phases[0].Updated,
		Past: []failure.Earlier{
			{Type: failure.TestFailure, Message: "3 tests failing", Action: failure.Retry},
			{Type: failure.TestFailure, Message: "3 tests failing", Action: failure.Fail},
		},
	}
	if d := cmp.Diff(want, r.Phases[0], cmpopts.EquateEmpty()); d != "" {
		t.Errorf("a reset leaves (-want +got):\n%s", d)
	}
}

// TestNextSession: a session may change the plan around a phase, and never the phase's past.
func TestNextSession(t *testing.T) {
	r := &state.Run{}
	apply(t, r, begin("a", "b", "c"), started("a", 1), failed("a", 1, failure.Retry), started("a", 2), passed("a", 2))
	next := begin("c", "a", "new")
	next.Phases[1].MaxAttempts, next.Phases[1].DependsOn = 1, []string{"c"}
	apply(t, r, next)
	if len(r.Phases) != 3 || r.Phases[0].ID != "c" || r.Phases[2].ID != "new" {
		t.Fatalf("the phases are not the plan's: %+v", r.Phases)
	}
	a, _ := r.Find("a")
	if a.Status != state.Complete || len(a.Attempts) != 2 || a.DependsOn[0] != "c" || a.MaxAttempts != 2 {
		t.Errorf("the next session has changed the past: %+v", a)
	}
	if _, ok := r.Find("b"); ok {
		t.Error("b is no longer in the plan")
	}
}

// TestFleeting: events that are only shown change nothing, not even the number of the last event.
func TestFleeting(t *testing.T) {
	r := &state.Run{}
	apply(t, r, begin("a"))
	before := clone(r)
	for _, kind := range []state.EventType{state.AgentFinished, state.GateStarted, state.GateFinished, state.Notice, state.Activity, state.Heartbeat, "tomorrow's"} {
		if err := r.Apply(state.Event{Type: kind, Phase: "no such phase", Seq: 99}); err != nil || kind.Lifecycle() {
			t.Errorf("%s: %v", kind, err)
		}
		if got, want := kind.Kept(), kind != state.Activity && kind != state.Heartbeat; got != want {
			t.Errorf("%s is kept: %v", kind, got)
		}
	}
	if d := cmp.Diff(before, r, sameRun()); d != "" {
		t.Error(d)
	}
}

// The end of a session is not that of the next one, which may come to none.
func TestEndIsOfItsSession(t *testing.T) {
	r := &state.Run{}
	apply(t, r, begin("1"), state.Event{Type: state.RunFinished, End: &state.End{Outcome: state.Halted}})
	if r.End == nil {
		t.Fatal("the run has no end")
	}
	if apply(t, r, begin("1")); r.End != nil {
		t.Errorf("the next session begins with the end %+v", r.End)
	}
}

// TestSeq: events come one after the other. One that is missing, or comes twice, changes nothing.
func TestSeq(t *testing.T) {
	for _, c := range []struct {
		after, seq int64
		fits       bool
	}{{0, 1, true}, {0, 7, false}, {3, 4, true}, {3, 0, true}, {3, 3, false}, {3, 2, false}, {3, 5, false}, {7, 3, false}} {
		r := &state.Run{Seq: c.after}
		e := begin("a")
		e.Seq = c.seq
		before := clone(r)
		if err := r.Apply(e); (err == nil) != c.fits {
			t.Errorf("%d after %d: %v", c.seq, c.after, err)
		} else if d := cmp.Diff(before, r, sameRun()); !c.fits && d != "" {
			t.Error(d)
		}
	}
}
