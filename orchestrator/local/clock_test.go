package local

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"autobuild/failure"
	"autobuild/failure/policy"
	"autobuild/orchestrator"
	"autobuild/orchestrator/plantest"
	"autobuild/state"
)

// wrong is a wall clock that is set while it goes, and a machine that sleeps. The runtime's own
// clock shows neither.
type wrong struct {
	by    atomic.Int64 // nanoseconds between the wall clock and the runtime's
	slept atomic.Int64 // nanoseconds
}

func (w *wrong) now() time.Time           { return time.Now().Round(0).Add(time.Duration(w.by.Load())) }
func (w *wrong) sleeps() time.Duration    { return time.Duration(w.slept.Load()) }
func (w *wrong) set(by time.Duration)     { w.by.Add(int64(by)) }
func (w *wrong) sleep(long time.Duration) { w.by.Add(int64(long)); w.slept.Add(int64(long)) }

// notices keeps what is said, and checks what must hold of every event: times do not go back and
// durations are none below zero.
type notices struct {
	t     *testing.T
	last  state.Event
	texts []string
}

func (n *notices) Event(e state.Event, _ *state.Run) error {
	if e.Time.Before(n.last.Time) || e.Type.Lifecycle() && e.Seq <= n.last.Seq {
		n.t.Errorf("%s #%d at %s follows %s #%d at %s", e.Type, e.Seq, e.Time, n.last.Type, n.last.Seq, n.last.Time)
	}
	if r := e.Result; r != nil && (r.Duration < 0 || r.Ended.Before(r.Started)) {
		n.t.Errorf("an attempt from %s to %s took %s", r.Started, r.Ended, r.Duration)
	}
	if e.End != nil && e.End.Elapsed < 0 {
		n.t.Errorf("the run took %s", e.End.Elapsed)
	}
	seq := n.last.Seq
	if n.last = e; !e.Type.Lifecycle() {
		n.last.Seq = seq
	}
	if e.Type == state.Notice {
		n.texts = append(n.texts, e.Text)
	}
	return nil
}

// The user sees a line for each jump: why, and by how much.
func TestClockTells(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(*wrong)
		deaf    bool // the system cannot report its sleep
		want    string
	}{
		"sleep":            {func(w *wrong) { w.sleep(7*time.Hour + 58*time.Minute) }, false, "the machine slept 7 h 58 min; deadlines count the time awake alone"},
		"sleep, or set":    {func(w *wrong) { w.set(20 * time.Minute) }, true, "the machine slept, or its clock was set forward: by 20 min"},
		"set forward":      {func(w *wrong) { w.set(24 * time.Hour) }, false, "the clock was set forward by 24 h 0 min"},
		"set back":         {func(w *wrong) { w.set(-10 * time.Hour) }, false, "the clock was set back by 10 h 0 min; this run goes on by the time it had"},
		"far ahead":        {func(w *wrong) { w.set(200 * 365 * 24 * time.Hour) }, false, "the clock was set forward by 73000 days"},
		"corrected":        {func(w *wrong) { w.set(-40 * time.Second) }, false, ""},
		"slept and is set": {func(w *wrong) { w.sleep(time.Hour); w.set(-2 * time.Hour) }, false, "the machine slept 1 h 0 min|the clock was set back by 2 h 0 min"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var w wrong
				work := hand{"1": func(context.Context, state.Task, func(state.Event)) error {
					time.Sleep(90 * time.Second)
					c.happens(&w)
					time.Sleep(5 * time.Minute)
					return nil
				}}
				heard := &notices{t: t}
				o := orchestra(plantest.New(t, "1"), work, heard)
				o.Now, o.Slept = w.now, w.sleeps
				if c.deaf {
					o.Slept = nil
				}
				var run state.Run
				if err := o.Run(t.Context(), &run, fresh()); err != nil {
					t.Fatal(err)
				}
				want := strings.Split(c.want, "|")
				if c.want == "" {
					want = nil
				}
				if len(heard.texts) != len(want) || slices.ContainsFunc(want, func(w string) bool {
					return !slices.ContainsFunc(heard.texts, func(text string) bool { return strings.HasPrefix(text, w) })
				}) {
					t.Errorf("heard %q, want %q", heard.texts, want)
				}
			})
		})
	}
}

// A wall clock that is set back by a little, at once after it was looked at: the time stands still
// until it comes by again.
func TestClockStandsStill(t *testing.T) {
	begun := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at, wall := begun, begun
	c := newClock(func() time.Time { return wall }, nil)
	c.runtime, c.at = func() time.Time { return at }, begun
	for _, step := range []struct{ at, wall, want time.Duration }{
		{0, -time.Nanosecond, 0},
		{0, -setBack, 0},
		{time.Second, 0, 0},
		{2 * time.Second, time.Second, time.Second},
		{2 * time.Second, time.Second, time.Second},
	} {
		at, wall = begun.Add(step.at), begun.Add(step.wall)
		if got := c.now().Sub(begun); got != step.want {
			t.Errorf("at %s, with a wall clock at %s: %s, want %s", step.at, step.wall, got, step.want)
		}
	}
	if len(c.jumps) > 0 {
		t.Errorf("told: %q", c.jumps)
	}
}

// A wait of a minute stays one under every change of the wall clock: set back, it would be ten
// hours and a minute.
func TestWaitWhileSetBack(t *testing.T) {
	waitsMinutes(t, time.Minute, func(w *wrong) { w.set(-10 * time.Hour) })
}

// A wait that a machine sleeps through is over as it wakes, give or take the minute in which the
// clock is looked at again.
func TestWaitWhileAsleep(t *testing.T) {
	waitsMinutes(t, 5*time.Hour, func(w *wrong) { w.sleep(8 * time.Hour) })
}

// waitsMinutes runs a phase that meets a limit with a reset so far away, and does something to the
// clock meanwhile: the run must be over within minutes of being awake.
func waitsMinutes(t *testing.T, reset time.Duration, odd func(*wrong)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var w wrong
		refused := false
		worker := &limited{takes: time.Minute, refused: func(state.Task, time.Time) (time.Time, failure.Type) {
			if refused {
				return time.Time{}, ""
			}
			refused = true
			time.AfterFunc(20*time.Second, func() { odd(&w) })
			return w.now().Add(reset), failure.UsageLimit
		}}
		o := orchestra(plantest.New(t, "1"), worker, &notices{t: t})
		o.Options.Policy, o.Now, o.Slept = policy.Single{}, w.now, w.sleeps
		began := time.Now()
		var run state.Run
		if err := o.Run(t.Context(), &run, fresh()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); !refused || took > 5*time.Minute {
			t.Errorf("a limit was met: %t; the wait took %s", refused, took)
		}
	})
}

// Under every change of the clock, a run comes to its end, times do not decrease, no duration is
// below zero, and a resume of the recorded run finds nothing wrong.
func TestClockLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		jumps := rapid.SliceOfN(rapid.Int64Range(-int64(200*365*24*time.Hour), int64(200*365*24*time.Hour)), 1, 6).Draw(rt, "jumps")
		wait := rapid.IntRange(0, 600).Draw(rt, "seconds to wait")
		synctest.Test(t, func(t *testing.T) {
			var w wrong
			for i, by := range jumps {
				time.AfterFunc(time.Duration(i*37+5)*time.Second, func() { w.set(time.Duration(by)) })
			}
			refused := make(map[string]bool)
			worker := &limited{takes: time.Minute, refused: func(task state.Task, _ time.Time) (time.Time, failure.Type) {
				if refused[task.Phase.ID] {
					return time.Time{}, ""
				}
				refused[task.Phase.ID] = true
				return w.now().Add(time.Duration(wait) * time.Second), failure.UsageLimit
			}}
			o := orchestra(plantest.New(t, "1", "2: 1", "3: 1", "4: 2, 3"), worker, &notices{t: t})
			o.Options.Policy, o.Now, o.Options.Jobs = policy.Single{}, w.now, 1
			began := time.Now()
			var run state.Run
			if err := o.Run(t.Context(), &run, fresh()); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); !run.Finished() || took > 24*time.Hour {
				t.Errorf("%+v after %s", run.Totals(), took)
			}
			for _, d := range orchestrator.Resume(o.Plan, &run, orchestrator.ResumeOptions{}) {
				if d.Verb != orchestrator.Keep {
					t.Errorf("a resume: %s %s, %s", d.Label, d.Verb, d.Reason)
				}
			}
		})
	})
}
