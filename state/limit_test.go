package state_test

import (
	"slices"
	"testing"

	"autobuild/failure"
	"autobuild/state"
)

// step is an event of a story, made from how the run stands.
type step = func(*state.Run) state.Event

// story plays steps, one each second; second 0 begins the run.
func story(t *testing.T, steps ...step) *state.Run {
	t.Helper()
	r := &state.Run{}
	for i, step := range append([]step{func(*state.Run) state.Event { return begin("1", "2a", "2b") }}, steps...) {
		e := step(r)
		e.Time, e.Seq = at(i), int64(i+1)
		if err := r.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// starts begins the next attempt of a phase on an account.
func starts(id, account string) step {
	return func(r *state.Run) state.Event {
		p, _ := r.Find(id)
		e := started(id, len(p.Attempts)+1)
		e.Agent, e.Account = "agent of "+account, account
		return e
	}
}

// ends settles the running attempt of a phase.
func ends(id string, action failure.Action, until int) step {
	return func(r *state.Run) state.Event {
		p, _ := r.Find(id)
		last, _ := p.Last()
		e := passed(id, last.N)
		if action != "" {
			e = failed(id, last.N, action)
			e.Result.Decision.Until = at(until)
		}
		e.Result.Account, e.Result.Started = last.Account, last.Started
		return e
	}
}

func limit(id string, until int) step { return ends(id, failure.Wait, until) }

// A limit is its account's until an attempt that began since comes to another end.
func TestLimited(t *testing.T) {
	for name, c := range map[string]struct {
		steps []step
		until int // of account a; 0: it is not limited
		waits int
		probe int // second at which the attempt that tries it began; 0: none does
	}{
		"met":                      {[]step{starts("1", "a"), limit("1", 50)}, 50, 1, 0},
		"on another account":       {[]step{starts("1", "b"), limit("1", 50)}, 0, 0, 0},
		"tried":                    {[]step{starts("1", "a"), limit("1", 50), starts("1", "a")}, 50, 1, 3},
		"met again":                {[]step{starts("1", "a"), limit("1", 50), starts("1", "a"), limit("1", 70)}, 70, 2, 0},
		"… by another phase":       {[]step{starts("1", "a"), limit("1", 50), starts("2a", "a"), limit("2a", 70)}, 70, 2, 0},
		"overcome":                 {[]step{starts("1", "a"), limit("1", 50), starts("1", "a"), ends("1", "", 0)}, 0, 0, 0},
		"… by a failure":           {[]step{starts("1", "a"), limit("1", 50), starts("1", "a"), ends("1", failure.Retry, 0)}, 0, 0, 0},
		"… by another phase alone": {[]step{starts("1", "a"), limit("1", 50), starts("2a", "a"), ends("2a", "", 0)}, 0, 0, 0},
		"met side by side":         {[]step{starts("1", "a"), starts("2a", "a"), limit("1", 50), limit("2a", 40)}, 50, 1, 0},
		"what ran already":         {[]step{starts("1", "a"), starts("2a", "a"), limit("1", 50), ends("2a", "", 0)}, 50, 1, 0},
		"still runs":               {[]step{starts("1", "a"), starts("2a", "a"), limit("1", 50)}, 50, 1, 0},
		"elsewhere meanwhile":      {[]step{starts("1", "a"), limit("1", 50), starts("1", "b"), ends("1", "", 0)}, 50, 1, 0},
		"a stopped attempt":        {[]step{starts("1", "a"), limit("1", 50), starts("1", "a"), func(*state.Run) state.Event { return of(state.PhaseInterrupted, "1") }}, 50, 1, 0},
		"both accounts":            {[]step{starts("1", "a"), limit("1", 50), starts("1", "b"), limit("1", 30)}, 50, 1, 0},
		"a new session":            {[]step{starts("1", "a"), limit("1", 50), func(*state.Run) state.Event { return begin("1", "2a", "2b") }}, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := story(t, c.steps...)
			s, limited := r.Limited()["a"]
			if limited != (c.until > 0) || limited && (!s.Until.Equal(at(c.until)) || s.Waits != c.waits) {
				t.Errorf("limited %v: %+v, want until second %d after %d waits", limited, s, c.until, c.waits)
			}
			if want := at(c.probe); s.Probe.IsZero() != (c.probe == 0) || c.probe > 0 && !s.Probe.Equal(want) {
				t.Errorf("tried since %s, want second %d", s.Probe, c.probe)
			}
		})
	}
}

// A wait says whose limit it is for, and a phase keeps one limit an account.
func TestWaits(t *testing.T) {
	first, later := starts("1", "a"), starts("1", "a")
	r := story(t, first, limit("1", 50), starts("1", "b"), limit("1", 40), later, limit("1", 60))
	p, _ := r.Find("1")
	want := []state.Limit{{Account: "b", Met: at(4), Until: at(40), Waits: 1}, {Account: "a", Met: at(6), Until: at(60), Waits: 2}}
	if p.Account != "a" || p.Waits != 2 || !p.Until.Equal(at(60)) || !slices.Equal(p.Limits, want) {
		t.Errorf("it waits for %q until %s after %d: %+v", p.Account, p.Until, p.Waits, p.Limits)
	}
	if got := r.Waited(p); got != 0 {
		t.Errorf("nothing runs, and it has waited %d times", got)
	}
	r = story(t, starts("1", "a"), starts("2a", "a"), limit("1", 50))
	p, _ = r.Find("2a")
	if got := r.Waited(p); got != 0 {
		t.Errorf("what meets the same limit has waited %d times before", got)
	}
	r = story(t, starts("1", "a"), limit("1", 50), starts("2b", "a"))
	p, _ = r.Find("2b")
	if last, _ := p.Last(); r.Waited(p) != 1 || last.Agent != "agent of a" || last.Account != "a" {
		t.Errorf("who tries has waited %d times: %+v", r.Waited(p), last)
	}
}

// Two phases of which each begins again while the other still runs do not wait for ever: each one's
// own waits count, until an attempt that began since has come to another end.
func TestWaitsInTurns(t *testing.T) {
	turns := []step{
		starts("1", "a"), starts("2a", "a"), limit("1", 3), starts("1", "a"), limit("2a", 5), starts("2a", "a"),
		limit("1", 7), starts("1", "a"), limit("2a", 9), starts("2a", "a"), limit("1", 11), starts("1", "a"),
	}
	r := story(t, turns...)
	for id, want := range map[string]int{"1": 3, "2a": 2} {
		if p, _ := r.Find(id); r.Waited(p) != want {
			t.Errorf("phase %s has waited %d times, want %d", id, r.Waited(p), want)
		}
	}
	// An attempt that the account accepted ends the row, even if another one began before the last
	// limit was met.
	again := starts("1", "a")
	r = story(t, starts("1", "a"), limit("1", 3), starts("2a", "a"), ends("2a", "", 0), starts("2b", "a"), again, limit("2b", 9))
	if p, _ := r.Find("1"); r.Waited(p) != 0 {
		t.Errorf("after another was let in, it has waited %d times", r.Waited(p))
	}
}
