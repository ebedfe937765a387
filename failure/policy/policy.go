// Package policy decides what follows a failed attempt: retry, wait, halt, escalate or fail. Each
// policy is a pure function of a diagnosis and the phase's history; the rules that all of them
// share are in shared_rules.go. It does not know evidence, agents or when a phase runs.
package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"autobuild/failure"
)

// Options configure a policy. The zero value is valid for each policy except "escalate", which
// needs Tiers.
type Options struct {
	Poll        time.Duration // a wait for a limit without a known end; 0 means 15 minutes
	StopAtLimit bool          // halt at a usage limit instead of waiting for its reset
	Tiers       []string      // names of the agents that diagnose, weakest first
	// the tier that makes a phase's first attempt; empty when it is none of Tiers
	Worker string
	Budget int // retries that a known fix may use; 0 means the policy's own default
}

// Names are the names that New accepts, the default first.
func Names() []string { return []string{"single", "adaptive", "known-fix", "escalate"} }

// New is the policy of that name; an empty name means the default. It refuses an unknown name, a
// negative budget, and for "escalate" tiers that are missing, repeated, or named "user".
func New(name string, o Options) (failure.Policy, error) {
	switch name {
	case "", "single":
		return Single{Poll: o.Poll, StopAtLimit: o.StopAtLimit}, nil
	case "adaptive":
		return Adaptive{Poll: o.Poll, StopAtLimit: o.StopAtLimit},
			nil
	case "known-fix":
		if o.Budget < 0 {
			return nil, fmt.Errorf(
				"retry policy known-fix: a budget of %d retries is not possible; 0 means %d",
				o.Budget, knownRetries)
		}
		return KnownFix{
			Poll: o.Poll, StopAtLimit: o.StopAtLimit, Budget: o.Budget,
		}, nil
	case "escalate":
		if err := checkTiers(o.Tiers); err != nil {
			return nil, fmt.Errorf("retry policy escalate: %w", err)
		}
		return Escalation{
			Poll: o.Poll, StopAtLimit: o.StopAtLimit, Tiers: slices.Clone(o.Tiers),
			Worker: o.Worker,
		}, nil
	}
	return nil, fmt.Errorf("unknown retry policy %q; known: %s", name, strings.Join(Names(), ", "))
}

// checkTiers refuses tiers that a decision could not name without ambiguity.
func checkTiers(tiers []string) error {
	if len(tiers) == 0 {
		return errors.New("no tiers; name the agents that diagnose, weakest first")
	}
	for i, t := range tiers {
		switch {
		case t == "":
			return fmt.Errorf("tier %d has no name", i+1)
		case t == failure.ToUser:
			return fmt.Errorf(
				"a tier cannot be called %q: that name stands for the user, who comes after the "+
					"last tier",
				t)
		case slices.Index(tiers, t) != i:
			return fmt.Errorf("tier %s is named twice; each can fail only once", t)
		}
	}
	return nil
}
