package orchestrator

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"autobuild/orchestrator/plantest"
	"autobuild/plan"
	"autobuild/state"
)

// timed is a complete run whose phases took so many minutes.
func timed(p *plan.Plan, minutes ...int) (*state.Run, time.Time) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	run := &state.Run{}
	for _, n := range minutes {
		run.Phases = append(run.Phases, state.Phase{Status: state.Complete, Attempts: []state.Attempt{
			{Started: start, Ended: start.Add(time.Duration(n) * time.Minute)},
		}})
	}
	return run, start
}

// A level waits for its longest phase; eager does not.
func TestSaving(t *testing.T) {
	p := plantest.New(t, "1:", "2:", "3: 1", "4: 3")
	for _, c := range []struct {
		minutes   []int
		saved, of time.Duration
	}{
		{[]int{1, 10, 5, 4}, 9 * time.Minute, 19 * time.Minute},
		{[]int{5, 5, 5, 5}, 0, 15 * time.Minute},
	} {
		run, start := timed(p, c.minutes...)
		if saved, of, ok := Saving(p, run, 2, start); !ok || saved != c.saved || of != c.of {
			t.Errorf("%v: %v of %v, %t", c.minutes, saved, of, ok)
		}
		if _, _, ok := Saving(p, run, 1, start); ok {
			t.Error("one phase at a time")
		}
		if _, _, ok := Saving(p, run, 2, start.Add(time.Second)); ok {
			t.Error("phases of another session")
		}
		run.Phases[3].Status = state.Failed
		if _, _, ok := Saving(p, run, 2, start); ok {
			t.Error("not complete")
		}
		run.Phases[3].Status, run.Config.Schedule = state.Complete, string(Eager)
		if _, _, ok := Saving(p, run, 2, start); ok {
			t.Error("eager already")
		}
	}
}

// A simulated run takes no less than the longest path and the work of all divided by the jobs, and
// no more than one phase after the other.
func TestElapsedBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plantest.Draw(t)
		jobs := rapid.IntRange(1, 5).Draw(t, "jobs")
		durations := make([]time.Duration, p.Len())
		var sum, longest time.Duration
		ends := make([]time.Duration, p.Len())
		for i := range durations {
			durations[i] = time.Duration(rapid.IntRange(0, 20).Draw(t, "minutes")) * time.Minute
			for _, n := range p.Needs(i) {
				ends[i] = max(ends[i], ends[n])
			}
			ends[i] += durations[i]
			sum, longest = sum+durations[i], max(longest, ends[i])
		}
		for _, s := range []Schedule{Batch, Eager} {
			got := elapsed(p, durations, jobs, s)
			if got < longest || got < sum/time.Duration(jobs) || got > sum {
				t.Fatalf("%s: %v; longest path %v, work %v", s, got, longest, sum)
			}
		}
	})
}
