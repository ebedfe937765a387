package policy

import (
	"cmp"
	"fmt"
	"time"

	"autobuild/failure"
	"autobuild/internal/text"
)

// singleAttempts is no setting: one retry helps, more of them are a loop.
const singleAttempts = 2

// Single is the policy of failure-handling: one retry with the error as context, then the user. The
// class decides nothing; a change of the plan is proposed only where the evidence asks for one. The
// zero Single is ready to use.
type Single struct {
	Poll        time.Duration // a wait for a limit without a known end; 0 means 15 minutes
	StopAtLimit bool          // halt at a usage limit instead of waiting for its reset
}

// Attempts is 2: the first, and one retry with the error as context.
func (Single) Attempts() int { return singleAttempts }

// Decide retries the first failure where its type is retryable, and fails the phase otherwise,
// unless a shared rule decides.
func (s Single) Decide(d failure.Diagnosis, past failure.History) failure.Decision {
	h := situation{Diagnosis: d, past: past, attempts: singleAttempts, simple: true}
	if decided, ok := h.guards(limits{s.Poll, s.StopAtLimit}); ok {
		return decided
	}
	if why := h.notRetryable(); why != "" {
		return h.end("single.not-retryable", failure.Fail, "%s", why)
	}
	if n := h.firstAlike(); n > 0 {
		return h.end("single.same-again", failure.Fail,
			"the same %s as in attempt %d: two attempts failed; fix it and resume", described(d), n)
	}
	if h.attemptsLeft() == 0 {
		return h.end("single.spent", failure.Fail,
			"two attempts failed, each differently; fix it and resume")
	}
	again := h.decide("single.retry", failure.Retry,
		"%s is retryable: one retry with the error as context", described(d))
	if d.Class.Class == failure.Transient || d.Category == failure.Prerequisite && d.Transient {
		again.Delay = backoff(0, past.Seed)
		again.Rationale += ", after " + text.Duration(again.Delay.Round(time.Second))
	}
	return again
}

// notRetryable is the reason why another attempt would fail again; empty where it may succeed.
func (h situation) notRetryable() string {
	switch {
	case !h.Type.Retryable():
		return fmt.Sprintf("%s is not retryable: another attempt would meet it again", h.Type)
	case h.Needs != "" || h.Category == failure.Ambiguity:
		return fmt.Sprintf("not retryable: no attempt can provide %s",
			cmp.Or(h.Needs, "a decision: the plan does not say enough"))
	}
	return ""
}

// firstAlike is the number, from 1, of the first attempt with the same fingerprint; 0 for none.
func (h situation) firstAlike() int {
	for i, f := range h.past.Failures {
		if h.Fingerprint != "" && f.Fingerprint == h.Fingerprint {
			return i + 1
		}
	}
	return 0
}

// described is a type, with its cause in brackets.
func described(d failure.Diagnosis) string {
	if d.Cause == "" {
		return string(d.Type)
	}
	return fmt.Sprintf("%s (%s)", d.Type, d.Cause)
}
