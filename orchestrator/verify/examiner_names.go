package verify

import (
	"maps"
	"slices"

	"autobuild/orchestrator/verify/referee"
)

// Knows takes in the tests that pass on what the next phase begins from, as referee.Key names them.
// None: no runner named one.
func (x *Examiner) Knows(passing []string) {
	if len(passing) == 0 {
		return
	}
	seen := map[string]bool{}
	for _, key := range passing {
		seen[key] = true
	}
	(&examination{Examiner: x}).remember(referee.Outcome{Passing: seen})
}

// Known are the tests that were seen passing so far, sorted.
func (x *Examiner) Known() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Sorted(maps.Keys(x.passed))
}
