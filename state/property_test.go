package state_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autobuild/failure"
	"autobuild/state"
)

// clone is a deep copy of a run's saved form.
func clone(r *state.Run) *state.Run {
	raw, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	c := &state.Run{}
	if err := json.Unmarshal(raw, c); err != nil {
		panic(err)
	}
	return c
}

// draw makes up an event that may or may not be possible.
func draw(t *rapid.T, r *state.Run) state.Event {
	ids := []string{"1", "2a", "2b", "3", "9"}
	id := rapid.SampledFrom(ids).Draw(t, "phase")
	n := rapid.IntRange(1, 3).Draw(t, "attempt")
	if p, ok := r.Find(id); ok && rapid.IntRange(0, 9).Draw(t, "fits") > 0 {
		n = len(p.Attempts)
		if p.Status != state.Running {
			n++
		}
	}
	switch rapid.SampledFrom([]string{"begin", "start", "start", "start", "pass", "fail", "fail", "interrupt", "block", "skip", "reset", "end", "notice"}).Draw(t, "kind") {
	case "begin":
		e := begin(rapid.SliceOfNDistinct(rapid.SampledFrom(ids[:4]), 1, 4, rapid.ID[string]).Draw(t, "phases")...)
		if rapid.IntRange(0, 9).Draw(t, "other") == 0 {
			e.Config.RunID = "r2"
		}
		return e
	case "start":
		e := started(id, n)
		e.Print = rapid.SampledFrom([]string{"p", "p", "p", "another"}).Draw(t, "print")
		e.Account = rapid.SampledFrom([]string{"a", "a", "b"}).Draw(t, "account")
		return e
	case "pass":
		return passed(id, n)
	case "fail":
		e := failed(id, n, rapid.SampledFrom([]failure.Action{
			failure.Retry, failure.Fail, failure.Wait, failure.Halt, failure.Block, failure.Replan, failure.Arbitrate, failure.Escalate, failure.Freeze,
		}).Draw(t, "action"))
		e.Result.Decision.To = rapid.SampledFrom([]string{"opus", failure.ToUser}).Draw(t, "to")
		e.Result.Decision.Propose = rapid.Bool().Draw(t, "propose")
		e.Result.Failure.Count = rapid.IntRange(0, 4).Draw(t, "count")
		return e
	case "interrupt":
		return of(state.PhaseInterrupted, id)
	case "block":
		return of(state.PhaseBlocked, id)
	case "skip":
		return of(state.PhaseSkipped, id)
	case "reset":
		e := of(state.PhaseReset, id)
		e.User = rapid.Bool().Draw(t, "user")
		return e
	case "end":
		return state.Event{Type: state.RunFinished, End: &state.End{Outcome: state.Halted, Totals: r.Totals()}}
	}
	return of(state.Notice, id)
}

// TestLaws: over any sequence of events, a refused one changes nothing, the totals add up, every
// status keeps its promise, and replaying what was accepted, as the diary keeps it, gives the same
// run.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &state.Run{}
		var diary [][]byte
		for i := range rapid.IntRange(1, 60).Draw(t, "events") {
			e := draw(t, r)
			e.Seq, e.Time = r.Seq+1, at(i)
			before := clone(r)
			if err := r.Apply(e); err != nil {
				if d := cmp.Diff(before, r, sameRun()); d != "" {
					t.Fatalf("%v, and yet:\n%s", err, d)
				}
				continue
			}
			line, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			diary = append(diary, line)
			lawful(t, r)
		}
		replayed := &state.Run{}
		for _, line := range diary {
			var e state.Event
			if err := json.Unmarshal(line, &e); err != nil {
				t.Fatal(err)
			}
			if err := replayed.Apply(e); err != nil {
				t.Fatalf("replaying: %v", err)
			}
		}
		if d := cmp.Diff(r, replayed, sameRun()); d != "" {
			t.Fatalf("the replayed run differs:\n%s", d)
		}
	})
}

// lawful checks what must hold in every run.
func lawful(t *rapid.T, r *state.Run) {
	sum := r.Totals()
	if sum.Complete+sum.Failed+sum.Blocked+sum.Pending+sum.Skipped+sum.Running+sum.Waiting != sum.Phases || sum.Phases != len(r.Phases) {
		t.Fatalf("the totals do not add up: %+v", sum)
	}
	attempts, cost := 0, 0.0
	for i := range r.Phases {
		p := &r.Phases[i]
		attempts += len(p.Attempts)
		cost += p.Spent.CostUSD
		last, tried := p.Last()
		for n, a := range p.Attempts {
			if a.N != n+1 || n+1 < len(p.Attempts) && a.Failure == nil {
				t.Fatalf("phase %s: attempt %d is numbered %d, or was passed over without a failure", p.ID, n+1, a.N)
			}
		}
		if len(p.Attempts) > p.MaxAttempts {
			t.Fatalf("phase %s has %d of %d attempts", p.ID, len(p.Attempts), p.MaxAttempts)
		}
		if len(p.Past) > state.MaxPast || p.Proposals < 0 || p.Revisions < 0 || len(p.Decisions()) != len(p.Failures()) {
			t.Fatalf("phase %s: %d failures kept, %d proposals, %d revisions", p.ID, len(p.Past), p.Proposals, p.Revisions)
		}
		ok := true
		switch p.Status {
		case state.Running:
			ok = tried && last.Failure == nil
		case state.Complete:
			ok = tried && last.Failure == nil && p.Commit == last.Commit && !p.Retry && len(p.Past) == 0 && p.Proposals == 0
		case state.Failed:
			ok = tried && last.Failure != nil && len(p.Past) > 0 && p.Retry == last.Decision.Again() && (!p.Retry || !p.Frozen())
		case state.Blocked:
			ok = p.BlockedBy != ""
		case state.Pending, state.Skipped:
			ok = p.BlockedBy == "" && !p.Retry && (!tried || last.Failure != nil)
		case state.Waiting:
			ok = p.Waits > 0 && slices.ContainsFunc(p.Limits, func(l state.Limit) bool {
				return l.Account == p.Account && l.Until.Equal(p.Until) && l.Waits == p.Waits
			}) || p.Waits > 0 && len(p.Limits) == 0 // which a new session has forgotten
		}
		for n, l := range p.Limits {
			if l.Waits < 1 || slices.ContainsFunc(p.Limits[:n], func(o state.Limit) bool { return o.Account == l.Account }) {
				t.Fatalf("phase %s keeps limits %+v", p.ID, p.Limits)
			}
		}
		if !ok {
			t.Fatalf("phase %s is %s and does not look it: %s", p.ID, p.Status, strconv.Quote(p.Reason))
		}
	}
	cost += r.Config.Former.CostUSD
	if attempts != sum.Attempts || cost != sum.Usage.CostUSD {
		t.Fatalf("%d attempts for %g, the totals say %d for %g", attempts, cost, sum.Attempts, sum.Usage.CostUSD)
	}
	if done := sum.Complete+sum.Skipped == sum.Phases && sum.Phases > 0; done != r.Finished() {
		t.Fatalf("finished is %v with %+v", r.Finished(), sum)
	}
}
