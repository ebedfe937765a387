package policy

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"autobuild/failure"
	"autobuild/internal/text"
)

// Bounds of all policies. They are no settings: they limit what a run may do without a person.
const (
	// a limit that persists after this many waits does not end by waiting
	waitsInARow = 3
	// after this many conflicts another order of the phases does not help
	sameConflict = 3
	defaultPoll  = 15 * time.Minute // between looks at a limit that does not say when it ends
)

// transportWaits are the pauses before the first, second and third try to reach the model again.
var transportWaits = [waitsInARow]time.Duration{30 * time.Second, 2 * time.Minute, 5 * time.Minute}

// limits are the settings of a policy for waits.
type limits struct {
	poll time.Duration // a wait for a limit without a known end; 0 means defaultPoll
	stop bool          // halt instead of waiting
}

// situation is one failure with its history, as the rules see it.
type situation struct {
	failure.Diagnosis
	past     failure.History
	attempts int  // that the policy allows in all; those that redo a conflict come on top
	simple   bool // the class is information: it decides nothing
}

// decide makes the decision of one rule.
func (h situation) decide(
	rule string, a failure.Action, format string, args ...any,
) failure.Decision {
	return failure.Decision{
		Action: a, Attempts: h.attempts, Rule: rule,
		Rationale: fmt.Sprintf(format, args...),
	}
}

// end is decide for a phase without another attempt. Where the plan is at fault it proposes a
// change of the plan, and Fail becomes Replan.
func (h situation) end(rule string, a failure.Action, format string, args ...any) failure.Decision {
	d := h.decide(rule, a, format, args...)
	if !h.planAtFault() {
		return d
	}
	d.Propose = true
	d.Rationale += "; a change of the plan is recommended: " + cmp.Or(h.AtFault,
		fmt.Sprintf("class %s", h.Class.Class))
	if d.Action == failure.Fail && !h.simple {
		d.Action = failure.Replan
	}
	return d
}

// planAtFault reports whether the plan is at fault rather than the work: by the evidence, or by the
// class where the policy uses it.
func (h situation) planAtFault() bool {
	return h.AtFault != "" || !h.simple && h.Class.Class.NeedsReplan()
}

// attemptsLeft is the number of attempts that the policy still allows. Redoing a conflict takes
// none.
func (h situation) attemptsLeft() int {
	return max(0, h.attempts-1-(len(h.past.Failures)-h.past.Redone()))
}

// guards decide before any policy does, in this order; ok is false when none of them fits. What
// they have in common: another attempt at the same work is either free, or of no use.
//
//	rule: fits → decision
//	guard.limit-stop: a usage limit, and waiting was not wanted → halt
//	guard.limit-persists: … that was waited for three times in a row → halt
//	guard.limit-reset: … that says when it ends → wait until then; no attempt is spent
//	guard.limit-poll: … that does not → wait for the poll; no attempt is spent
//	guard.transport-persists: transport_error that was waited for three times in a row → halt
//	guard.transport-wait: … else → wait as long as it asks for, or 30 s, 2 min, 5 min
//	guard.unknown-error: agent_error of no known kind, with nothing billed, the phase's first
//	    → wait 30 s, once; no attempt is spent
//	guard.every-phase: agent_unusable, plan_invalid, circular_dependency → halt: each phase
//	    would meet it
//	guard.budget: budget_exhausted → fail: the phase has used up what it may
//	guard.architectural: F5, and the policy is not single → freeze, and with it all that needs
//	    the phase
//	guard.dependency-missing: dependency_missing → fail: an attempt cannot install it
//	guard.conflict-persists: F6 or file_conflict, the same for the third time → escalate to
//	    the user
//	guard.conflict-order: … with phases that landed, not redone before → arbitrate:
//	    sequential, alone, from the line
//	guard.conflict: … else → arbitrate: the user
//	guard.breach-order: isolation_breach while other phases were at work the first of this
//	    session → arbitrate: sequential, alone
//	guard.replan-budget: F3 or F4 after three proposals in a row, and the policy is not single
//	    → freeze
func (h situation) guards(l limits) (d failure.Decision, ok bool) {
	switch {
	case h.Type == failure.UsageLimit:
		return h.limit(l), true
	case h.Type == failure.TransportError:
		return h.transport(), true
	case h.Unbilled && !h.past.ErrorWait && h.past.Waits < waitsInARow:
		w := h.decide("guard.unknown-error", failure.Wait,
			"an error of the agent's own, of no known kind, and nothing was billed: once more "+
				"in %s; no attempt is spent",
			text.Duration(transportWaits[0]))
		w.Delay = transportWaits[0]
		return w, true
	case
		h.Type == failure.AgentUnusable || h.Type == failure.PlanInvalid ||
			h.Type == failure.CircularDependency:
		return h.decide("guard.every-phase", failure.Halt, "%s would stop every phase alike",
			h.Type), true
	case h.Type == failure.BudgetExhausted:
		return h.decide("guard.budget", failure.Fail,
				"the phase has used up what it may: another attempt would be stopped as it begins"),
			true
	case h.Class.Class == failure.Architectural && !h.simple:
		return h.decide("guard.architectural", failure.Freeze,
				"F5: it contradicts what the whole plan is for; the phase and all that needs it "+
					"stay as they are until a person decides"),
			true
	case h.Type == failure.DependencyMissing || h.Cause == failure.DependencyMissing:
		return h.decide("guard.dependency-missing", failure.Fail,
			"%s is not retryable: no attempt can pass before %s is installed",
			failure.DependencyMissing, cmp.Or(h.Package, "it")), true
	case h.Class.Class == failure.Conflicting || h.Type == failure.FileConflict:
		return h.arbitrate(), true
	case h.Type == failure.IsolationBreach && h.Unattributed &&
		!slices.ContainsFunc(h.past.Failures, breached):
		d := h.decide("guard.breach-order", failure.Arbitrate,
			"several phases were at work, and one of them did it: once more, alone, from the "+
				"line as it then stands")
		d.To, d.Fresh = failure.ToSequential, true
		return d, true
	case !h.simple && h.planAtFault() && h.past.Proposals >= failure.MaxProposals:
		return h.decide("guard.replan-budget", failure.Freeze,
			"%s after %d proposals to change the plan, none of which led to progress: a fourth "+
				"would not either",
			cmp.Or(string(h.Class.Class), "the plan is at fault"), h.past.Proposals), true
	}
	return failure.Decision{}, false
}

func breached(d failure.Diagnosis) bool { return d.Type == failure.IsolationBreach }

// limit waits for a usage limit, or halts where the settings or earlier waits forbid that.
func (h situation) limit(l limits) failure.Decision {
	switch {
	case l.stop:
		return h.decide("guard.limit-stop", failure.Halt,
			"a usage limit was met, and waiting was not wanted")
	case h.past.Waits >= waitsInARow:
		return h.decide("guard.limit-persists", failure.Halt,
			"waited %d times in a row for the usage limit without any progress", h.past.Waits)
	case !h.Until.IsZero():
		w := h.decide("guard.limit-reset", failure.Wait,
			"the usage limit resets at %s; no attempt is spent", h.Until.UTC().Format(time.RFC3339))
		w.Until = h.Until
		return w
	}
	poll := l.poll
	if poll <= 0 {
		poll = defaultPoll
	}
	w := h.decide("guard.limit-poll", failure.Wait,
		"the usage limit does not say when it ends: looking again in %s; no attempt is spent",
		text.Duration(poll))
	w.Delay = poll
	return w
}

// transport waits before the model is called again: briefly at first, since most such trouble is
// short.
func (h situation) transport() failure.Decision {
	switch {
	case h.past.Waits >= waitsInARow:
		return h.decide("guard.transport-persists", failure.Halt,
			"waited %d times in a row for the way to the model without any progress", h.past.Waits)
	case !h.Until.IsZero():
		w := h.decide("guard.transport-wait", failure.Wait,
			"the agent's provider asks to wait until %s; no attempt is spent",
			h.Until.UTC().Format(time.RFC3339))
		w.Until = h.Until
		return w
	}
	w := h.decide("guard.transport-wait", failure.Wait,
		"such trouble passes: looking again in %s; no attempt is spent",
		text.Duration(transportWaits[max(h.past.Waits, 0)]))
	w.Delay = transportWaits[max(h.past.Waits, 0)]
	return w
}

// arbitrate decides how two phases with a conflict go on. Where git merges them and the gates pass
// there is no failure, and no arbitration.
func (h situation) arbitrate() failure.Decision {
	name, met := h.ConflictName(), 1
	for _, e := range h.past.Earlier {
		if name != "" && e.Conflict == name {
			met++
		}
	}
	if met >= sameConflict {
		d := h.end("guard.conflict-persists", failure.Escalate,
			"met the same conflict %d times (%s): going on in another order has not helped", met,
			name)
		d.To = failure.ToUser
		return d
	}
	if others := h.landedPhases(); len(others) > 0 && h.past.Redone() == 0 {
		d := h.decide("guard.conflict-order", failure.Arbitrate,
			"in conflict with %s, which landed first: once more, alone, from the line as it now "+
				"stands",
			text.JoinSome(others, 3))
		d.To, d.Fresh = failure.ToSequential, true
		return d
	}
	d := h.end("guard.conflict", failure.Arbitrate,
		"%s is not retryable: a person says which change stays",
		cmp.Or(string(h.Type), string(failure.FileConflict)))
	d.To = failure.ToUser
	return d
}

// landedPhases are the phases in conflict with this one. It is empty where a commit or merge of the
// user is one of the sides: autobuild does not set that aside.
func (h situation) landedPhases() []string {
	var others []string
	for _, c := range h.Conflicts {
		if c.Other == "" {
			return nil
		}
		others = append(others, "phase "+c.Other)
	}
	return slices.Compact(slices.Sorted(slices.Values(others)))
}
