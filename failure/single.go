package failure

import (
	"fmt"
	"time"
)

// singleAttempts is a law as well: one retry is help, a second one is a loop.
const singleAttempts = 2

// Single is the policy of one retry with the error as context. Other policies are other
// implementations of Policy; nothing else knows which one decides. The zero Single is ready to use.
type Single struct {
	Poll        time.Duration // a wait for a limit without a known end; 0 means 15 minutes
	StopAtLimit bool          // halt at a usage limit instead of waiting for its reset
}

// Attempts is 2: the first, and one with the error as context.
func (Single) Attempts() int { return singleAttempts }

// Decide retries a retryable first failure and fails the phase on everything else that no guard decides: here a conflict
// is not retryable either.
func (s Single) Decide(d Diagnosis, past History) Decision {
	h := hearing{d, past, singleAttempts}
	if decided, ok := h.guards(limits{s.Poll, s.StopAtLimit}, false); ok {
		return decided
	}
	if !d.Type.Retryable() {
		return h.end("single.not-retryable", Fail, "%s is not retryable: another attempt would meet it again", d.Type)
	}
	if n := h.seen(); n > 0 {
		return h.end("single.same-again", Fail, "the same %s as in attempt %d: the retry changed nothing about it", described(d), n)
	}
	if h.left() == 0 {
		return h.end("single.spent", Fail, "failed %d times, each time differently: two failures call for a person", len(past.Failures)+1)
	}
	return h.decide("single.retry", Retry, "%s is retryable: one retry with the error as context", described(d))
}

// seen is the first attempt that failed just like this one, counted from 1; 0 when none did.
func (h hearing) seen() int {
	for i, f := range h.past.Failures {
		if h.Fingerprint != "" && f.Fingerprint == h.Fingerprint {
			return i + 1
		}
	}
	return 0
}

// described is a type with the cause that stands behind it.
func described(d Diagnosis) string {
	if d.Cause == "" {
		return string(d.Type)
	}
	return fmt.Sprintf("%s (%s)", d.Type, d.Cause)
}
