package policy

import (
	"time"

	"autobuild/failure"
	"autobuild/internal/text"
)

// adaptiveRetries is the maximum of retries under Adaptive, as many as a transient failure gets.
const adaptiveRetries = 3

// onceThenUser is the recommendation of failure-classifier for an uncertain class.
const onceThenUser = "single_retry_then_escalate"

// Adaptive retries by the indicator of a failure: three times with growing pauses for transient
// ones, twice for those that may pass, once for those that need a change. The zero Adaptive is
// ready to use.
type Adaptive struct {
	Poll        time.Duration // a wait for a limit without a known end; 0 means 15 minutes
	StopAtLimit bool          // halt at a usage limit instead of waiting for its reset
}

// Attempts is 4: the first attempt and at most three retries, whatever the failures are.
func (Adaptive) Attempts() int { return 1 + adaptiveRetries }

// Decide retries while the indicator of the present failure has retries left and the policy has
// attempts. Each indicator counts by itself: a lost connection takes no retry from a failing test.
func (a Adaptive) Decide(d failure.Diagnosis, past failure.History) failure.Decision {
	h := situation{Diagnosis: d, past: past, attempts: a.Attempts()}
	if decided, ok := h.guards(limits{a.Poll, a.StopAtLimit}); ok {
		return decided
	}
	in := h.indicate()
	spent := h.spent(in)
	switch {
	case h.notRetryable() != "":
		return h.end("adaptive.not-retryable", failure.Fail, "%s", h.notRetryable())
	case !in.passes && h.firstAlike() > 0:
		return h.end("adaptive.same-again", failure.Fail, "the same %s as in attempt %d, and %s",
			described(d), h.firstAlike(), in.because)
	case d.Class.Action == onceThenUser && len(past.Failures) > 0:
		up := h.end("adaptive.uncertain", failure.Escalate,
			"what it is stays uncertain (confidence %.2f): one retry, and then a person",
			d.Class.Confidence)
		up.To = failure.ToUser
		return up
	case spent >= in.retries:
		return h.end("adaptive.persists", failure.Fail,
			"%s again, after %s: no more are allowed because %s",
			described(d), text.Count(in.retries, "retry"), in.because)
	case h.attemptsLeft() == 0:
		return h.end("adaptive.spent", failure.Fail,
			"failed %d times, each time in another way: that calls for a person",
			len(past.Failures)+1)
	}
	again := h.decide("adaptive."+in.name, failure.Retry, "%s: %s", described(d), in.allowing())
	if in.name == "transient" {
		again.Delay = backoff(spent, past.Seed)
		again.Rationale += "; this one after " + text.Duration(again.Delay.Round(time.Second))
	}
	return again
}
