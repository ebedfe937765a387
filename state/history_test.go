package state_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autobuild/failure"
	"autobuild/state"
)

// broke is a failed attempt with so many findings of a type, and the decision.
func broke(n int, kind failure.Type, count int, d failure.Decision) state.Event {
	e := failed("a", n, d.Action)
	e.Result.Failure = &failure.Diagnosis{Type: kind, Message: "m", Count: count, Fingerprint: strconv.Itoa(count)}
	e.Result.Decision = &d
	return e
}

// rewritten is a start with another text.
func rewritten(n int, text string) state.Event {
	e := started("a", n)
	e.Print = text
	return e
}

func byUser(id string) state.Event {
	e := of(state.PhaseReset, id)
	e.User = true
	return e
}

// TestPast: failed attempts are remembered over resets, at most MaxPast of them, the latest; waits
// are none.
func TestPast(t *testing.T) {
	r := &state.Run{}
	apply(t, r, begin("a"))
	for i := range state.MaxPast + 3 {
		e := broke(1, failure.TestFailure, i+1, failure.Decision{Action: failure.Fail})
		e.Result.Changes = state.Changes{Created: []string{"new"}, Modified: []string{strconv.Itoa(i)}, Deleted: []string{"old"}}
		apply(t, r, started("a", 1), failed("a", 1, failure.Wait), started("a", 1), e, of(state.PhaseReset, "a"))
	}
	p := r.Phases[0]
	if len(p.Past) != state.MaxPast {
		t.Fatalf("%d are remembered", len(p.Past))
	}
	for i, e := range p.Past {
		want := failure.Earlier{
			Type: failure.TestFailure, Message: "m", Count: i + 4, Fingerprint: strconv.Itoa(i + 4), Action: failure.Fail,
			Files: []string{"new", strconv.Itoa(i + 3), "old"},
		}
		if diff := cmp.Diff(want, e); diff != "" {
			t.Errorf("failure %d (-want +got):\n%s", i, diff)
		}
	}
	apply(t, r, byUser("a"))
	if len(r.Phases[0].Past) != state.MaxPast {
		t.Error("a person's reset has changed the past")
	}
	apply(t, r, started("a", 1), passed("a", 1))
	if p := r.Phases[0]; p.Past != nil {
		t.Errorf("a complete phase remembers %+v", p.Past)
	}
}

// TestRevisions: another text makes a new task of a phase, and is counted as long as the phase was
// not complete in between.
func TestRevisions(t *testing.T) {
	r := &state.Run{}
	lost := failure.Decision{Action: failure.Fail}
	apply(t, r, begin("a"), rewritten(1, "one"), broke(1, failure.Timeout, 0, lost), of(state.PhaseReset, "a"))
	check := func(what string, revisions, past int) {
		t.Helper()
		if p := r.Phases[0]; p.Revisions != revisions || len(p.Past) != past {
			t.Errorf("%s: %d revisions, %d failures remembered; want %d and %d", what, p.Revisions, len(p.Past), revisions, past)
		}
	}
	apply(t, r, rewritten(1, "one"), broke(1, failure.Timeout, 0, lost), of(state.PhaseReset, "a"))
	check("the same text", 0, 2)
	apply(t, r, rewritten(1, "two"))
	check("another text", 1, 0)
	apply(t, r, broke(1, failure.Timeout, 0, failure.Decision{Action: failure.Retry}), rewritten(2, "two"))
	check("its retry", 1, 1)
	apply(t, r, broke(2, failure.Timeout, 0, lost), of(state.PhaseReset, "a"), rewritten(1, "one"))
	check("the first text again", 2, 0)
	apply(t, r, passed("a", 1))
	check("complete", 0, 0)
	apply(t, r, byUser("a"), rewritten(1, "three"))
	check("rewritten after it was complete", 0, 0)
	apply(t, r, of(state.PhaseReset, "a"), rewritten(1, "four"))
	check("… and once more", 1, 0)
}

// TestProposals: they are counted as long as nothing gets better, over resumes and rewritten texts.
func TestProposals(t *testing.T) {
	fail := failure.Decision{Action: failure.Fail}
	propose := failure.Decision{Action: failure.Fail, Propose: true}
	replan := failure.Decision{Action: failure.Replan, Propose: true}
	freeze := failure.Decision{Action: failure.Freeze}
	for name, c := range map[string]struct {
		events []state.Event
		want   int
	}{
		"none":                     {[]state.Event{broke(1, failure.TestFailure, 3, fail)}, 0},
		"a replan":                 {[]state.Event{broke(1, failure.TestFailure, 3, failure.Decision{Action: failure.Replan})}, 1},
		"a proposal":               {[]state.Event{broke(1, failure.TestFailure, 3, replan)}, 1},
		"besides another decision": {[]state.Event{broke(1, failure.TestFailure, 3, propose)}, 1},
		"nothing better":           {[]state.Event{broke(1, failure.TestFailure, 3, replan), broke(1, failure.TestFailure, 3, replan)}, 2},
		"another type":             {[]state.Event{broke(1, failure.TestFailure, 3, replan), broke(1, failure.LintError, 1, replan)}, 2},
		"fewer tests fail":         {[]state.Event{broke(1, failure.TestFailure, 3, replan), broke(1, failure.TestFailure, 2, fail)}, 0},
		"fewer, and a proposal":    {[]state.Event{broke(1, failure.TestFailure, 3, replan), broke(1, failure.TestFailure, 2, replan)}, 1},
		"to and fro": {[]state.Event{
			broke(1, failure.TestFailure, 2, replan), broke(1, failure.TestFailure, 3, replan), broke(1, failure.TestFailure, 2, replan),
		}, 3},
		"not counted":       {[]state.Event{broke(1, failure.Timeout, 0, replan), broke(1, failure.Timeout, 0, replan)}, 2},
		"reset by a person": {[]state.Event{broke(1, failure.Timeout, 0, replan), byUser("a")}, 0},
		"frozen, and reset": {[]state.Event{broke(1, failure.Timeout, 0, replan), broke(1, failure.Timeout, 0, freeze)}, 0},
		"complete":          {[]state.Event{broke(1, failure.Timeout, 0, replan), passed("a", 1)}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := &state.Run{}
			apply(t, r, begin("a"))
			for _, e := range c.events {
				if e.Type == state.AttemptFinished {
					apply(t, r, started("a", 1))
				}
				apply(t, r, e)
				if e.Type == state.AttemptFinished {
					apply(t, r, of(state.PhaseReset, "a")) // as a resume does
				}
			}
			if got := r.Phases[0].Proposals; got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
		})
	}
	r := &state.Run{}
	apply(t, r, begin("a"), rewritten(1, "one"), broke(1, failure.Timeout, 0, replan), of(state.PhaseReset, "a"), rewritten(1, "two"))
	if got := r.Phases[0].Proposals; got != 0 {
		t.Errorf("%d after a person has changed the text", got)
	}
}

// TestAgain: every decision that asks for another attempt gets one, under each of its names.
func TestAgain(t *testing.T) {
	for _, d := range []failure.Decision{
		{Action: failure.Retry},
		{Action: failure.Escalate, To: "opus"},
		{Action: failure.Arbitrate, To: failure.ToSequential, Fresh: true},
	} {
		r := &state.Run{}
		apply(t, r, begin("a"), started("a", 1), broke(1, failure.TestFailure, 1, d))
		p := r.Phases[0]
		if p.Status != state.Failed || !p.Retry || p.Next() != d || !slices.Equal(p.Decisions(), []failure.Decision{d}) {
			t.Errorf("%s: %+v", d.Action, p)
		}
		apply(t, r, started("a", 2), failed("a", 2, failure.Wait))
		if p = r.Phases[0]; p.Next() != d {
			t.Errorf("%s: after a wait the attempt follows %+v", d.Action, p.Next())
		}
		apply(t, r, started("a", 2), passed("a", 2))
	}
	for _, d := range []failure.Decision{
		{Action: failure.Fail},
		{Action: failure.Block},
		{Action: failure.Replan, Propose: true},
		{Action: failure.Halt},
		{Action: failure.Freeze},
		{Action: failure.Escalate, To: failure.ToUser},
		{Action: failure.Arbitrate, To: failure.ToUser},
	} {
		r := &state.Run{}
		apply(t, r, begin("a"), started("a", 1), broke(1, failure.TestFailure, 1, d))
		p := r.Phases[0]
		if p.Retry || p.Next() != (failure.Decision{}) || p.Frozen() != (d.Action == failure.Freeze) {
			t.Errorf("%s: %+v", d.Action, p)
		}
		if err := r.Apply(started("a", 2)); err == nil {
			t.Errorf("%s: another attempt began", d.Action)
		}
		apply(t, r, of(state.PhaseReset, "a"))
		if p = r.Phases[0]; p.Frozen() || p.Next() != (failure.Decision{}) {
			t.Errorf("%s: a reset leaves %+v", d.Action, p)
		}
	}
}
