package policy

import (
	"cmp"
	"time"

	"autobuild/failure"
)

// knownRetries is what KnownFix may spend where it is told nothing else: as many as its most
// patient indicator but for F1.
const knownRetries = 2

// enoughBudget is what a retry needs: the attempt that it is, and the one that it answers.
const enoughBudget = 2

// KnownFix is the policy of retrying what is known and of nothing else: a failure without a known
// fix is kept for learning, because an attempt at it would destroy what can be learnt. The zero
// KnownFix is ready to use.
type KnownFix struct {
	Poll        time.Duration // a wait for a limit without a known end; 0 means 15 minutes
	StopAtLimit bool          // halt at a usage limit instead of waiting for its reset
	Budget      int           // retries of a phase; 0 or less means 2

	HaltConflicts bool // a conflict goes to the user at once instead of being redone
}

// Attempts is one more than the retries of the budget.
func (k KnownFix) Attempts() int {
	if k.Budget <= 0 {
		return 1 + knownRetries
	}
	return 1 + k.Budget
}

// Decide is error-matching-rules' table of two columns and two rows. The budget that the table asks
// for is what is left of the policy's retries, or of those that the failure's indicator is worth
// where that is less, and one for the attempt that has just been made: so a retry is possible from
// 2 on.
func (k KnownFix) Decide(d failure.Diagnosis, past failure.History) failure.Decision {
	h := situation{Diagnosis: d, past: past, attempts: k.Attempts()}
	if decided, ok := h.guards(limits{k.Poll, k.StopAtLimit, k.HaltConflicts}); ok {
		return decided
	}
	in := h.indicate()
	budget := 1 + max(0, min(h.attemptsLeft(), in.retries-h.spent(in)))
	switch {
	case d.Match == nil:
		return h.end("known-fix.discovery", failure.Block, "BLOCK (discovery): nothing that is known looks like this %s; it is kept for learning", described(d))
	case !d.Match.Known:
		return h.end("known-fix.unsure", failure.Block, "BLOCK (discovery): %s, but that is no fix to act on; it is kept for learning", matchReason(d))
	case !d.Type.Retryable():
		return h.end("known-fix.not-retryable", failure.Fail, "%s, but %s is not retryable: an attempt could not apply the fix", matchReason(d), d.Type)
	case d.Category == failure.Ambiguity:
		return h.end("known-fix.ambiguity", failure.Fail, "%s, but the plan does not say enough: that is for a person to mend", matchReason(d))
	case budget < enoughBudget:
		return h.end("known-fix.budget", failure.Block, "BLOCK (budget exhausted): %s, but its fix has not helped: budget %d, and a retry needs %d",
			matchReason(d), budget, enoughBudget)
	}
	again := h.decide("known-fix.retry", failure.Retry, "%s; its fix is known: %s (budget %d)", matchReason(d), in.allowing(), budget)
	if in.name == "transient" {
		again.Delay = backoff(h.spent(in), past.Seed)
	}
	return again
}

// matchReason is why the match is one, in its own words.
func matchReason(d failure.Diagnosis) string {
	if d.Match.Reason != "" {
		return failure.Line(d.Match.Reason, failure.MaxField)
	}
	return failure.Line("Matched "+d.Match.Name+" because of its "+cmp.Or(d.Match.Kind, "likeness"), failure.MaxField)
}
