package failure

import (
	"fmt"
	"time"
)

// Limits of Single. They are laws: what a run may do blindly does not depend on taste.
const (
	singleAttempts = 2                // one retry is help; a second one is a loop
	waitsInARow    = 3                // a limit that is still there after its reset will not go away
	defaultPoll    = 15 * time.Minute // between looks at a limit that does not say when it ends
)

// Single is the policy of one retry with the error as context. Other policies are other
// implementations of Policy; nothing else knows which one decides. The zero Single is ready to use.
type Single struct {
	Poll        time.Duration // a wait for a limit without a known end; 0 means 15 minutes
	StopAtLimit bool          // halt at a usage limit instead of waiting for its reset
}

// Attempts is 2: the first, and one with the error as context.
func (Single) Attempts() int { return singleAttempts }

// Decide retries a retryable first failure, waits for a usage limit, halts on what would hit every
// phase alike, and fails the phase on everything else. A wait spends no attempt.
func (s Single) Decide(d Diagnosis, h History) Decision {
	decide := func(a Action, format string, args ...any) Decision {
		return Decision{Action: a, Attempts: singleAttempts, Rationale: fmt.Sprintf(format, args...)}
	}
	switch d.Type {
	case UsageLimit:
		return s.limit(d, h, decide)
	case AgentUnusable, PlanInvalid, CircularDependency, BudgetExhausted:
		return decide(Halt, "%s would stop every phase alike", d.Type)
	}
	if !d.Type.Retryable() {
		return decide(Fail, "%s is not retryable: another attempt would meet it again", d.Type)
	}
	failures := len(h.Failures) + 1
	for i, f := range h.Failures {
		if d.Fingerprint != "" && f.Fingerprint == d.Fingerprint {
			return decide(Fail, "the same %s as in attempt %d: the retry changed nothing about it", described(d), i+1)
		}
	}
	if failures >= singleAttempts {
		return decide(Fail, "failed %d times, each time differently: two failures call for a person", failures)
	}
	return decide(Retry, "%s is retryable: one retry with the error as context", described(d))
}

func (s Single) limit(d Diagnosis, h History, decide func(Action, string, ...any) Decision) Decision {
	if s.StopAtLimit {
		return decide(Halt, "a usage limit was met, and waiting was not wanted")
	}
	if h.Waits >= waitsInARow {
		return decide(Halt, "waited %d times in a row for the usage limit without any progress", h.Waits)
	}
	if !d.Until.IsZero() {
		w := decide(Wait, "the usage limit resets at %s; no attempt is spent", d.Until.UTC().Format(time.RFC3339))
		w.Until = d.Until
		return w
	}
	poll := s.Poll
	if poll <= 0 {
		poll = defaultPoll
	}
	w := decide(Wait, "the usage limit does not say when it ends: looking again in %s; no attempt is spent", span(poll))
	w.Delay = poll
	return w
}

// described is a type with the cause that stands behind it.
func described(d Diagnosis) string {
	if d.Cause == "" {
		return string(d.Type)
	}
	return fmt.Sprintf("%s (%s)", d.Type, d.Cause)
}
