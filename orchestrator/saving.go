package orchestrator

import (
	"cmp"
	"slices"
	"time"

	"autobuild/plan"
	"autobuild/state"
)

// Saving is how much less time a complete run of schedule batch would have taken as eager: both
// schedules are simulated with the durations that its phases had and so many phases at once. ok is
// false where the run does not tell: it has another schedule, is not complete, or phases of it ran
// in another session, began before since or did not run.
func Saving(
	p *plan.Plan, run *state.Run, jobs int, since time.Time,
) (saved, of time.Duration, ok bool) {
	if run.Config.Schedule == string(Eager) || jobs < 2 || len(run.Phases) != p.Len() {
		return 0, 0, false
	}
	durations := make([]time.Duration, p.Len())
	for i := range run.Phases {
		phase := &run.Phases[i]
		if phase.Status != state.Complete || len(phase.Attempts) == 0 {
			return 0, 0, false
		}
		for _, a := range phase.Attempts {
			if a.Started.Before(since) || a.Ended.Before(a.Started) {
				return 0, 0, false
			}
			durations[i] += a.Ended.Sub(a.Started)
		}
	}
	of = elapsed(p, durations, jobs, Batch)
	return of - elapsed(p, durations, jobs, Eager), of, true
}

// elapsed is how long phases of these durations take, at most jobs at once.
func elapsed(p *plan.Plan, durations []time.Duration, jobs int, s Schedule) time.Duration {
	type end struct {
		at    time.Duration
		phase int
	}
	open, left := make([]int, p.Len()), make([]int, p.Len()+1) // left: of each level
	var ready []int
	before := func(a, b int) int {
		if s == Eager {
			return cmp.Or(cmp.Compare(p.Rest(b), p.Rest(a)), cmp.Compare(a, b))
		}
		return cmp.Or(cmp.Compare(p.Level(a), p.Level(b)), cmp.Compare(a, b))
	}
	put := func(i int) {
		at, _ := slices.BinarySearchFunc(ready, i, before)
		ready = slices.Insert(ready, at, i)
	}
	for i := range open {
		left[p.Level(i)]++
		if open[i] = len(p.Needs(i)); open[i] == 0 {
			put(i)
		}
	}
	var now time.Duration
	var running []end // the next to end first
	for level := 0; len(ready)+len(running) > 0; {
		for s != Eager && level < p.Len() && left[level] == 0 {
			level++
		}
		for len(ready) > 0 && len(running) < jobs && (s == Eager || p.Level(ready[0]) == level) {
			e := end{now + durations[ready[0]], ready[0]}
			at, _ := slices.BinarySearchFunc(running, e,
				func(a, b end) int { return cmp.Compare(a.at, b.at) })
			running, ready = slices.Insert(running, at, e), slices.Delete(ready, 0, 1)
		}
		ended := running[0]
		now, running = ended.at, slices.Delete(running, 0, 1)
		left[p.Level(ended.phase)]--
		for _, d := range p.Dependents(ended.phase) {
			if open[d]--; open[d] == 0 {
				put(d)
			}
		}
	}
	return now
}
