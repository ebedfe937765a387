package policy

import (
	"cmp"
	"slices"
	"time"

	"autobuild/failure"
)

// Escalation is the policy of no blind retry: after a failure the next tier diagnoses. Tiers are
// required.
type Escalation struct {
	Poll        time.Duration // a wait for a limit without a known end; 0 means 15 minutes
	StopAtLimit bool          // halt at a usage limit instead of waiting for its reset
	Tiers       []string      // names of the agents that diagnose, weakest first
	// the tier that makes the first attempt; it and the weaker ones do not diagnose. Empty: it is
	// none of them
	Worker string
}

// tiers are those above the worker.
func (e Escalation) tiers() []string {
	return e.Tiers[slices.Index(e.Tiers, e.Worker)+1:]
}

// Attempts is one for the worker and one for each tier above it.
func (e Escalation) Attempts() int { return 1 + len(e.tiers()) }

// escalation is the row of a category in error-classification's column of escalation.
type escalation struct {
	asks    string // the question to a tier
	ends    string // what remains for the user after the last tier
	propose bool   // … and that is to change the plan
}

// escalationFor is the row of a category; execution is the default.
func escalationFor(c failure.Category) escalation {
	switch c {
	case failure.Prerequisite:
		return escalation{
			"finds what is missing, or what was meant",
			"the missing thing is a person's to provide, or the plan's to name", true,
		}
	case failure.UnexpectedResult:
		return escalation{
			"compares the result with what was asked for",
			"the plan asks for something else than what comes out", true,
		}
	case failure.Ambiguity:
		return escalation{"says what the plan leaves open", "the plan has to say it", true}
	case failure.Misalignment:
		return escalation{
			"holds the work against its instructions",
			"a person reads it against the plan", false,
		}
	case failure.Execution:
	}
	return escalation{"finds the cause and fixes it", "a person fixes it", false}
}

// Decide hands the failure to the next tier, or to the user after the last. The first tier sees the
// work as it is. Later tiers start from the last clean commit, so that none builds on a failed fix.
// An execution failure of class F3 or F4 goes to the strongest tier at once.
func (e Escalation) Decide(d failure.Diagnosis, past failure.History) failure.Decision {
	h := situation{Diagnosis: d, past: past, attempts: e.Attempts()}
	if decided, ok := h.guards(limits{e.Poll, e.StopAtLimit}); ok {
		return decided
	}
	w := escalationFor(d.Category)
	if d.Type == failure.SetupFailure || d.Type == failure.IsolationBreach {
		return h.toUser("escalate.not-for-agents", w, "%s: no agent can fix it, or may", d.Type)
	}
	tiers := e.tiers()
	asked, last := tiersAsked(past.Decisions, tiers)
	next := last + 1
	if asked == 0 && h.planAtFault() && (d.Category == failure.Execution || d.Category == "") {
		next = len(tiers) - 1
	}
	switch {
	case len(tiers) == 0:
		return h.toUser("escalate.user", w, "%s, and there is no tier to ask: %s", described(d),
			w.ends)
	case next >= len(tiers):
		return h.toUser("escalate.user", w, "%s, and %s was the last tier: %s", described(d),
			tiers[len(tiers)-1], w.ends)
	case h.attemptsLeft() == 0:
		return h.toUser("escalate.spent", w, "%s, and no attempt is left for %s: %s", described(d),
			tiers[next], w.ends)
	}
	up := h.decide("escalate."+cmp.Or(string(d.Category), string(failure.Execution)),
		failure.Escalate, "%s: no blind retry; %s %s", described(d), tiers[next], w.asks)
	up.To, up.Fresh = tiers[next], asked > 0
	if up.Fresh {
		up.Rationale += ", from the last clean commit"
	}
	return up
}

// toUser ends the phase; the rationale says what the category leaves to the user.
func (h situation) toUser(rule string, w escalation, format string, args ...any) failure.Decision {
	d := h.end(rule, failure.Escalate, format, args...)
	d.To = failure.ToUser
	d.Propose = d.Propose || w.propose
	return d
}

// tiersAsked is the number of tiers that have diagnosed, and the position of the highest; -1 for
// none.
func tiersAsked(decisions []failure.Decision, tiers []string) (n, last int) {
	last = -1
	for _, d := range decisions {
		if d.Action == failure.Escalate && d.To != failure.ToUser {
			n++
			last = max(last, slices.Index(tiers, d.To))
		}
	}
	return n, max(last, min(n, len(tiers))-1)
}
