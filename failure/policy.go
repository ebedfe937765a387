package failure

import (
	"fmt"
	"strings"
	"time"
)

// PolicyOptions are what a policy may be told. The zero value is good for each of them but "escalate", which needs Tiers.
type PolicyOptions struct {
	Poll        time.Duration // a wait for a limit without a known end; 0 means 15 minutes
	StopAtLimit bool          // halt at a usage limit instead of waiting for its reset
	Tiers       []string      // names of the agents that diagnose, weakest first
	Budget      int           // retries that a known fix may use; 0 means the policy's own default
}

// PolicyNames are the names that NewPolicy knows, the default first.
func PolicyNames() []string { return []string{"single"} }

// NewPolicy is the policy of that name.
func NewPolicy(name string, o PolicyOptions) (Policy, error) {
	switch name {
	case "", "single":
		return Single{Poll: o.Poll, StopAtLimit: o.StopAtLimit}, nil
	}
	return nil, fmt.Errorf("unknown retry policy %q; known: %s", name, strings.Join(PolicyNames(), ", "))
}
