package orchestrator

import (
	"fmt"
	"slices"
	"time"

	"autobuild/failure"
	"autobuild/plan"
	"autobuild/state"
)

// nextAgent is the rule by which another agent takes over.
const nextAgent = "fallback.next-agent"

// Finished is how a worker's attempt ended.
type Finished struct {
	Phase     string // id
	Result    state.Result
	Err       error         // of Worker.Attempt
	Cancelled bool          // the run's context was cancelled before the attempt ended
	Duration  time.Duration // that the machine was awake
}

// Settled is what the end of an attempt means for the run.
type Settled struct {
	Event  state.Event // attempt.finished or phase.interrupted
	Notice string      // to be emitted before Event; empty: none
	Ending Ending      // zero: the run goes on
}

// Settle says what the end of an attempt means. It is pure. Landed work always counts; otherwise a
// cancelled run comes first, because an agent that was stopped from outside looks like one that
// failed, and an interruption must not spend the retry.
func Settle(p *plan.Plan, run *state.Run, o Options, f Finished, now time.Time) Settled {
	phase, _ := run.Find(f.Phase)
	result := f.Result.Attempt
	last, _ := phase.Last()
	result.N, result.Key, result.Started, result.Account = last.N, last.Key, last.Started,
		last.Account
	result.Ended, result.Duration = now, max(0, f.Duration)
	interrupted := func(why string, ending Ending) Settled {
		return Settled{
			Event: state.Event{
				Type: state.PhaseInterrupted, Phase: f.Phase, Attempt: result.N,
				Usage: &result.Usage, Text: why,
			},
			Ending: ending,
		}
	}
	landed := f.Err == nil && result.Failure == nil && f.Result.Spent == ""
	switch {
	case landed:
		result.Decision = nil
		return Settled{Event: state.Event{
			Type: state.AttemptFinished, Phase: f.Phase, Attempt: result.N,
			Attempts: o.policy(f.Phase).Attempts(), Result: &result,
		}}
	case f.Cancelled:
		return interrupted("stopped", Ending{})
	case f.Err != nil:
		return interrupted(f.Err.Error(),
			Ending{Cause: Broken, Err: fmt.Errorf("phase %s: %w", phase.Label, f.Err)})
	case f.Result.Spent != "":
		return interrupted(f.Result.Spent, Ending{
			Cause: Limited, Type: failure.BudgetExhausted,
			Reason: f.Result.Spent,
		})
	}
	return o.settleFailure(p, run, phase, result)
}

// settleFailure lets the phase's policy decide about a failed attempt, within the bounds that hold
// for every policy.
func (o *Options) settleFailure(
	p *plan.Plan, run *state.Run, phase *state.Phase, result state.Attempt,
) Settled {
	diagnosis, policy, allowed := *result.Failure, o.policy(phase.ID), o.attempts(phase)
	decision := o.Decide(run, phase, result)
	decision, without := o.replace(p, run, phase, diagnosis, decision)
	attempts := policy.Attempts()
	// one more than the policy allows: the conflict is not the phase's own failing
	if decision.Redo() {
		attempts = max(attempts, result.N+1)
	}
	switch {
	case decision.Rule == nextAgent:
	case decision.Action == failure.Wait:
		// a time of the wall clock, even if that is set
		decision.Until = laterOf(decision.Until, result.Ended.Add(decision.Delay)).Round(0)
	case decision.Again() && !decision.Redo() && result.N >= allowed:
		decision.Action, decision.To, decision.Fresh = failure.Fail, "", false
		decision.Rationale += fmt.Sprintf("; but %d of %d attempts are spent", result.N, allowed)
	}
	result.Decision = &decision
	settled := Settled{Event: state.Event{
		Type: state.AttemptFinished, Phase: phase.ID, Attempt: result.N, Attempts: attempts,
		Result: &result, Without: without,
	}}
	if last, _ := phase.Last(); without != nil && diagnosis.Type != failure.Refusal &&
		!slices.Contains(run.Without, last.Agent) {
		settled.Notice = decision.Rationale
	}
	return settled
}

// Decide is what the phase's own policy says of a failed attempt, before the bounds that hold for
// every policy. An engine whose run does not hold the evidence asks where it is.
func (o *Options) Decide(
	run *state.Run, phase *state.Phase, result state.Attempt,
) failure.Decision {
	diagnosis, used := *result.Failure, phase.Spent.Add(result.Usage)
	return o.policy(phase.ID).Decide(diagnosis, failure.History{
		Failures: phase.Failures(), Decisions: phase.Decisions(), Waits: run.Waited(phase),
		ErrorWait: phase.ErrorWait,
		Earlier:   slices.Clone(phase.Past), Proposals: phase.Proposed(diagnosis), Seed: result.Key,
		Tokens: used.InputTokens + used.OutputTokens, CostUSD: used.CostUSD,
	})
}

// replace lets another agent go on where one cannot be used at all, where its model refuses the
// phase, or where waiting for its account leads nowhere. It names the agents that are not used from
// then on: for this phase alone after a refusal, else in the session. No attempt is spent.
func (o *Options) replace(
	p *plan.Plan, run *state.Run, phase *state.Phase, d failure.Diagnosis,
	decision failure.Decision,
) (_ failure.Decision, without []string) {
	if !d.Changes() || decision.Action == failure.Wait || d.Type.Waits() &&
		decision.Action != failure.Halt {
		return decision, nil
	}
	i, _ := p.Index(phase.ID)
	last, _ := phase.Last()
	others := slices.DeleteFunc(slices.Clone(o.candidates(i, run)), func(a Agent) bool {
		same := a.Name == last.Agent || d.Type.Waits() && a.Account == last.Account
		if same {
			without = append(without, a.Name)
		}
		return same
	})
	if len(others) == 0 {
		return decision, nil
	}
	return failure.Decision{
		Action: failure.Wait, Attempts: decision.Attempts, Rule: nextAgent,
		Rationale: decision.Rationale + "; " + others[0].Name + " goes on, and no attempt is spent",
	}, without
}

func laterOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
