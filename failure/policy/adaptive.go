package policy

import (
	"time"

	"autobuild/failure"

	"autobuild/internal/text"
)

// adaptiveRetries bounds Adaptive whatever the failures are: as many as what is transient gets.
const adaptiveRetries = 3

// onceThenUser is what failure-classifier recommends where it is not sure of the class.
const onceThenUser = "single_retry_then_escalate"

// Adaptive is the policy of as many retries as the failure's indicator is worth: three, with
// growing pauses, for what is transient, two for what may pass, one for what only a change can
// mend. The zero Adaptive is ready to use.
type Adaptive struct {
	Poll        time.Duration // a wait for a limit without a known end; 0 means 15 minutes
	StopAtLimit bool          // halt at a usage limit instead of waiting for its reset

	HaltConflicts bool // a conflict goes to the user at once instead of being redone
}

// Attempts is 4: the first, and at most three retries however different the failures are.
func (Adaptive) Attempts() int { return 1 + adaptiveRetries }

// Decide retries as long as the indicator of the present failure has retries left and the policy
// has attempts. Retries are counted by indicator: what a lost connection has spent is not taken
// from a failing test.
func (a Adaptive) Decide(d failure.Diagnosis, past failure.History) failure.Decision {
	h := situation{Diagnosis: d, past: past, attempts: a.Attempts()}
	if decided, ok := h.guards(limits{a.Poll, a.StopAtLimit, a.HaltConflicts}); ok {
		return decided
	}
	in := h.indicate()
	spent := h.spent(in)
	switch {
	case h.notRetryable() != "":
		return h.end("adaptive.not-retryable", failure.Fail, "%s", h.notRetryable())
	case !in.passes && h.firstAlike() > 0:
		return h.end("adaptive.same-again", failure.Fail, "the same %s as in attempt %d, and %s", described(d), h.firstAlike(), in.because)
	case d.Class.Action == onceThenUser && len(past.Failures) > 0:
		up := h.end("adaptive.uncertain", failure.Escalate, "what it is stays uncertain (confidence %.2f): one retry, and then a person", d.Class.Confidence)
		up.To = failure.ToUser
		return up
	case spent >= in.retries:
		return h.end("adaptive.persists", failure.Fail, "%s again, after %s: no more are allowed because %s",
			described(d), text.Count(in.retries, "retry"), in.because)
	case h.attemptsLeft() == 0:
		return h.end("adaptive.spent", failure.Fail, "failed %d times, each time in another way: that calls for a person", len(past.Failures)+1)
	}
	again := h.decide("adaptive."+in.name, failure.Retry, "%s: %s", described(d), in.allowing())
	if in.name == "transient" {
		again.Delay = backoff(spent, past.Seed)
		again.Rationale += "; this one after " + text.Duration(again.Delay.Round(time.Second))
	}
	return again
}
