package orchestrator

import (
	"testing"
	"time"

	"autobuild/failure"
	"autobuild/plan"
	"autobuild/state"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// word is one thing that a test says of a phase.
type word func(*state.Phase)

// is gives a phase a status and as many attempts as have been made.
func is(s state.Status, attempts int) word {
	return func(p *state.Phase) {
		p.Status = s
		for n := range attempts {
			p.Attempts = append(p.Attempts, state.Attempt{N: n + 1})
		}
	}
}

// failed is a phase that may be tried again after its delay, measured from noon.
func failed(attempts int, delay time.Duration) word {
	return func(p *state.Phase) {
		is(state.Failed, attempts)(p)
		p.Retry, p.Finished = true, noon
		p.Attempts[attempts-1].Decision = &failure.Decision{Action: failure.Retry, Delay: delay}
	}
}

// redo is a phase that is to do its work again because of a conflict.
func redo(attempts int) word {
	return decided(attempts, failure.Decision{Action: failure.Arbitrate, To: failure.ToSequential})
}

// redoing is a phase that does its work again because of a conflict.
func redoing() word {
	return func(p *state.Phase) {
		redo(1)(p)
		p.Status, p.Retry = state.Running, false
		p.Attempts = append(p.Attempts, state.Attempt{N: 2})
	}
}

// lost is a phase that has failed for good.
func lost(attempts int, action failure.Action, kind failure.Type) word {
	return func(p *state.Phase) {
		is(state.Failed, attempts)(p)
		last := &p.Attempts[attempts-1]
		last.Decision = &failure.Decision{Action: action}
		last.Failure = &failure.Diagnosis{Type: kind, Retryable: kind.Retryable()}
	}
}

// decided is a phase whose latest attempt failed a test, and this was decided about it.
func decided(attempts int, d failure.Decision) word {
	return func(p *state.Phase) {
		lost(attempts, d.Action, failure.TestFailure)(p)
		p.Attempts[attempts-1].Decision, p.Retry = &d, d.Again()
	}
}

// frozen is a phase that takes a person to go on.
func frozen(why string) word {
	return decided(1, failure.Decision{Action: failure.Freeze, Rationale: why})
}

// waits is a phase that waits for a limit until so long after noon.
func waits(d time.Duration) word {
	return func(p *state.Phase) {
		p.Status, p.Until = state.Waiting, noon.Add(d)
		p.Limits = []state.Limit{{Met: noon.Add(-24 * time.Hour), Until: p.Until, Waits: 1}}
	}
}

// disturbed is a phase that waits because it did not get through to its model.
func disturbed(d time.Duration) word {
	return func(p *state.Phase) {
		waits(d)(p)
		p.Limits[0].Type = failure.TransportError
	}
}

func spent(cost float64, in, out int64) word {
	return func(p *state.Phase) { p.Spent = state.Usage{CostUSD: cost, InputTokens: in, OutputTokens: out} }
}

// runOf is a run of the plan in which every phase is pending of which nothing is said.
func runOf(t testing.TB, p *plan.Plan, said map[string]word) *state.Run {
	t.Helper()
	run := &state.Run{Config: state.Config{RunID: "r1"}}
	for _, phase := range p.Phases() {
		q := state.Phase{ID: phase.ID, Label: phase.Label, Status: state.Pending, Fingerprint: phase.Fingerprint}
		if say, ok := said[phase.Label]; ok {
			say(&q)
		}
		if q.Status == state.Pending && len(q.Attempts) == 0 {
			q.Fingerprint = "" // it was never started
		}
		run.Phases = append(run.Phases, q)
	}
	for label := range said {
		if _, ok := p.Find(label); !ok {
			t.Fatalf("the plan has no phase %s", label)
		}
	}
	return run
}

func statuses(r *state.Run) []state.Status {
	var all []state.Status
	for i := range r.Phases {
		all = append(all, r.Phases[i].Status)
	}
	return all
}

// heard is a sink that keeps events in memory.
type heard struct{ events []state.Event }

func (h *heard) Event(e state.Event, _ *state.Run) error {
	h.events = append(h.events, e)
	return nil
}
