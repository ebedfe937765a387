package policy

import (
	"cmp"
	"time"

	"autobuild/failure"
)

// knownRetries is the default budget of KnownFix: the most that an indicator other than F1 allows.
const knownRetries = 2

// enoughBudget is the budget that a retry needs: one for the failed attempt and one for the retry.
const enoughBudget = 2

// KnownFix retries only failures with a known fix. It blocks all others and keeps them for
// learning, since a retry would destroy the evidence. The zero KnownFix is ready to use.
type KnownFix struct {
	Poll        time.Duration // a wait for a limit without a known end; 0 means 15 minutes
	StopAtLimit bool          // halt at a usage limit instead of waiting for its reset
	Budget      int           // retries of a phase; 0 or less means 2
}

// Attempts is the budget of retries plus one.
func (k KnownFix) Attempts() int {
	if k.Budget <= 0 {
		return 1 + knownRetries
	}
	return 1 + k.Budget
}

// Decide follows the table of error-matching-rules. Its budget is one for the failed attempt, plus
// the retries left under the policy or the indicator, whichever are fewer. A retry needs a budget
// of 2.
func (k KnownFix) Decide(d failure.Diagnosis, past failure.History) failure.Decision {
	h := situation{Diagnosis: d, past: past, attempts: k.Attempts()}
	if decided, ok := h.guards(limits{k.Poll, k.StopAtLimit}); ok {
		return decided
	}
	in := h.indicate()
	budget := 1 + max(0, min(h.attemptsLeft(), in.retries-h.spent(in)))
	switch {
	case d.Match == nil:
		return h.end("known-fix.discovery", failure.Block,
			"BLOCK (discovery): nothing that is known looks like this %s; it is kept for learning",
			described(d))
	case !d.Match.Known:
		return h.end("known-fix.unsure", failure.Block,
			"BLOCK (discovery): %s, but that is no fix to act on; it is kept for learning",
			matchReason(d))
	case !d.Type.Retryable():
		return h.end("known-fix.not-retryable", failure.Fail,
			"%s, but %s is not retryable: an attempt could not apply the fix", matchReason(d),
			d.Type)
	case d.Category == failure.Ambiguity:
		return h.end("known-fix.ambiguity", failure.Fail,
			"%s, but the plan does not say enough: a person has to complete it", matchReason(d))
	case budget < enoughBudget:
		return h.end("known-fix.budget", failure.Block,
			"BLOCK (budget exhausted): %s, but its fix has not helped: budget %d, and a retry "+
				"needs %d",
			matchReason(d), budget, enoughBudget)
	}
	again := h.decide("known-fix.retry", failure.Retry, "%s; its fix is known: %s (budget %d)",
		matchReason(d), in.allowing(), budget)
	if in.name == "transient" {
		again.Delay = backoff(h.spent(in), past.Seed)
	}
	return again
}

// matchReason is the reason of the match, in its own words.
func matchReason(d failure.Diagnosis) string {
	if d.Match.Reason != "" {
		return failure.Line(d.Match.Reason, failure.MaxField)
	}
	return failure.Line("Matched "+d.Match.Name+" because of its "+cmp.Or(d.Match.Kind, "likeness"),
		failure.MaxField)
}
