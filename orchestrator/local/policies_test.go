package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autobuild/failure"
	"autobuild/orchestrator"
	"autobuild/orchestrator/plantest"
	"autobuild/state"
)

// whim is a policy that decides anything at all, the same for the same history. It waits three
// times in a row at most, as every policy must; that another attempt is possible it does not ask.
type whim struct {
	allowed int
	answers []failure.Decision
}

func (w whim) Attempts() int { return w.allowed }

func (w whim) Decide(_ failure.Diagnosis, h failure.History) failure.Decision {
	d := w.answers[(len(h.Failures)+3*len(h.Earlier)+5*h.Waits)%len(w.answers)]
	if d.Action == failure.Wait && h.Waits >= 3 {
		d.Action = failure.Retry
	}
	return d
}

func drawWhim(t *rapid.T) whim {
	actions := []failure.Action{
		failure.Retry, failure.Retry, failure.Fail, failure.Wait, failure.Block, failure.Replan, failure.Arbitrate, failure.Escalate, failure.Freeze, failure.Freeze,
	}
	return whim{
		allowed: rapid.IntRange(1, 4).Draw(t, "allowed"),
		answers: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) failure.Decision {
			return failure.Decision{
				Action: rapid.SampledFrom(actions).Draw(t, "action"), To: rapid.SampledFrom([]string{"opus", failure.ToUser}).Draw(t, "to"),
				Delay: time.Duration(rapid.IntRange(0, 30).Draw(t, "delay")) * time.Minute, Rationale: "a whim",
				Propose: rapid.Bool().Draw(t, "propose"), Fresh: rapid.Bool().Draw(t, "fresh"),
			}
		}), 1, 4).Draw(t, "answers"),
	}
}

// drawWhims gives every phase a policy of its own.
func drawWhims(t *rapid.T, w world) map[string]failure.Policy {
	policies := make(map[string]failure.Policy)
	for _, phase := range w.plan.Phases() {
		policies[phase.ID] = drawWhim(t)
	}
	return policies
}

// bounded watches that no phase gets more attempts than its policy allows, and that every attempt
// is what was decided.
func (f *fake) bounded(e state.Event, r *state.Run) {
	p, ok := r.Find(e.Phase)
	if !ok || e.Type != state.PhaseStarted && e.Type != state.AttemptFinished {
		return
	}
	allowed := f.policies[e.Phase].Attempts()
	if len(p.Attempts) > allowed || e.Attempts != allowed || p.MaxAttempts < allowed {
		f.broke("phase %s: attempt %d; the event says %d and the phase %d, its policy %d", e.Phase, len(p.Attempts), e.Attempts, p.MaxAttempts, allowed)
	}
	if last, _ := p.Last(); p.Status == state.Failed && p.Retry != last.Decision.Again() {
		f.broke("phase %s was decided to %s, and a retry is %v", e.Phase, last.Decision.Action, p.Retry)
	}
}

// obedient watches that a task is what the decision before it says.
func (f *fake) obedient(task state.Task) {
	id := task.Phase.ID
	var follows failure.Decision
	if n := len(task.Earlier); n > 0 {
		follows = *task.Earlier[n-1].Decision
	}
	tier := ""
	if follows.Action == failure.Escalate {
		tier = follows.To
	}
	if task.Tier != tier || task.Fresh && !follows.Fresh {
		f.broke("phase %s: after %+v an attempt of tier %q, fresh %v", id, follows, task.Tier, task.Fresh)
	}
	if allowed := f.policies[id].Attempts(); task.Last != (task.Attempt == allowed) {
		f.broke("phase %s: attempt %d of %d is the last: %v", id, task.Attempt, allowed, task.Last)
	}
	if len(task.Past.Earlier) != task.Past.Failed || task.Past.Failed > state.MaxPast || task.Past.Failed < len(task.Earlier) {
		f.broke("phase %s: %d failed attempts, and it hears of %d", id, len(task.Earlier), task.Past.Failed)
	}
}

// Under policies with arbitrary decisions: attempts stay within their bound, no wait spends one,
// dependents of a failed phase are blocked, the run ends, and its diary replays to the saved state.
func TestPolicyLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		w.opts.KeepGoing = true
		f := newFake(w)
		f.policies = drawWhims(rt, w)
		f.heard = f.obedient
		var run state.Run
		if after := rapid.IntRange(0, 60).Draw(rt, "stroke"); after > 0 {
			err := f.play(t, &run, time.Duration(after)*time.Minute)
			if _, halted := errors.AsType[*orchestrator.HaltError](err); err != nil && !halted && !errors.Is(err, context.Canceled) {
				rt.Fatalf("Run = %v", err)
			}
		}
		held := f.frozen(&run)
		f.still = held
		err := f.play(t, &run, 0)
		if _, halted := errors.AsType[*orchestrator.HaltError](err); err != nil && !halted {
			rt.Fatalf("Run = %v", err)
		}
		f.check(rt, &run)
		f.settled(rt, &run)
		for _, i := range held {
			if p := &run.Phases[i]; !p.Frozen() {
				rt.Errorf("phase %s was frozen and is %s", p.ID, p.Status)
			}
		}
	})
}

// frozen are the positions of the frozen phases.
func (f *fake) frozen(r *state.Run) []int {
	var is []int
	for i := range r.Phases {
		if r.Phases[i].Frozen() {
			is = append(is, i)
		}
	}
	return is
}

// settled checks the end of an undisturbed run that kept going: every phase is complete, has
// failed, or is blocked by one that has.
func (f *fake) settled(t *rapid.T, r *state.Run) {
	for i := range r.Phases {
		p := &r.Phases[i]
		lost := slices.ContainsFunc(f.w.plan.Ancestors(i), func(a int) bool { return r.Phases[a].Status == state.Failed })
		switch p.Status {
		case state.Complete:
			if lost || len(p.Past) > 0 {
				t.Errorf("phase %s is complete: after a lost phase %v, with %d failures remembered", p.ID, lost, len(p.Past))
			}
		case state.Failed:
			if lost || p.Retry || len(p.Past) == 0 {
				t.Errorf("phase %s failed: after a lost phase %v, to be retried %v, with %d failures remembered", p.ID, lost, p.Retry, len(p.Past))
			}
		case state.Blocked:
			if !lost {
				t.Errorf("phase %s is blocked by %s, and nothing it needs has failed", p.ID, p.BlockedBy)
			}
		default:
			t.Errorf("phase %s is %s at the end", p.ID, p.Status)
		}
	}
}

// Each phase has its own policy, which receives all facts that it may use.
func TestOwnPolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard := map[string][]failure.History{}
		policy := func(id string, allowed int, answers ...failure.Decision) failure.Policy {
			return listener{whim{allowed, answers}, func(h failure.History) { heard[id] = append(heard[id], h) }}
		}
		escalate := failure.Decision{Action: failure.Escalate, To: "opus", Delay: time.Hour, Propose: true}
		fails := func(_ context.Context, task state.Task, _ func(state.Event)) error {
			return &failure.Failure{Diagnosis: failure.Diagnosis{
				Type: failure.TestFailure, Message: "broken", Count: 4 - task.Attempt, Retryable: true, Fingerprint: strconv.Itoa(task.Attempt),
			}}
		}
		key := 0
		o := orchestra(plantest.New(t, "1", "2"), hand{"1": fails, "2": fails})
		o.Key = func() string { key++; return fmt.Sprint("key", key) }
		o.Options.Policy = policy("2", 1, failure.Decision{Action: failure.Retry})
		o.Options.Policies = map[string]failure.Policy{"1": policy("1", 3, escalate)}
		var run state.Run
		began := time.Now()
		if err := o.Run(t.Context(), &run, fresh()); err == nil {
			t.Fatal("the run is complete")
		}
		one, two := run.Phases[0], run.Phases[1]
		if len(one.Attempts) != 3 || one.MaxAttempts != 3 || len(two.Attempts) != 1 || two.MaxAttempts != 1 {
			t.Errorf("%d of %d and %d of %d attempts", len(one.Attempts), one.MaxAttempts, len(two.Attempts), two.MaxAttempts)
		}
		if d := two.Attempts[0].Decision; d.Action != failure.Fail || d.Rationale != "; but 1 of 1 attempts are spent" {
			t.Errorf("a promise that the policy cannot keep ends as %+v", d)
		}
		if took := time.Since(began); took != 2*time.Hour {
			t.Errorf("two escalations that were to wait an hour each took %s", took)
		}
		last := heard["1"][2]
		want := failure.History{
			Failures: one.Failures()[:2], Decisions: []failure.Decision{escalate, escalate}, Earlier: one.Past[:2], Seed: one.Attempts[2].Key,
		}
		if diff := cmp.Diff(want, last); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}
		if got := heard["1"][1].Proposals; got != 0 {
			t.Errorf("fewer tests fail, and it hears of %d proposals without progress", got)
		}
	})
}

// listener is a policy that reports the history it received.
type listener struct {
	whim
	tell func(failure.History)
}

func (l listener) Decide(d failure.Diagnosis, h failure.History) failure.Decision {
	l.tell(h)
	return l.whim.Decide(d, h)
}
