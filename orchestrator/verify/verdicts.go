package verify

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"autobuild/orchestrator/verify/referee"
	"autobuild/state"
)

// maxVerdicts bounds the suites whose verdicts are remembered; the oldest are dropped.
const maxVerdicts = 64

// Verdicts remembers how suites of gates ended on contents, so that no suite runs twice on one. It
// holds for one session, in which the environment, the shell and the tools stay those of the start,
// and lives in memory, which no agent can write. A suite is reused as a whole: a gate may read what
// the gate before it wrote. The zero value is ready to use, and may be used concurrently.
type Verdicts struct {
	mu   sync.Mutex
	kept []verdict // oldest first
}

type verdict struct {
	key, from string // from is the prefix of the logs of the run
	outcome   referee.Outcome
}

// reuse returns the outcome of the same suite on the same content; false: none is known. Gates get
// the names that this suite has for them.
func (v *Verdicts) reuse(key string, specs []state.GateSpec) (referee.Outcome, bool) {
	if v == nil || key == "" {
		return referee.Outcome{}, false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	i := slices.IndexFunc(v.kept, func(k verdict) bool { return k.key == key })
	if i < 0 {
		return referee.Outcome{}, false
	}
	o := v.kept[i].outcome
	o.Gates, o.Passing, o.Failing, o.Broken = slices.Clone(o.Gates), maps.Clone(o.Passing),
		maps.Clone(o.Failing), maps.Clone(o.Broken)
	for n, spec := range specs[:min(len(specs), len(o.Gates))] {
		g := &o.Gates[n]
		g.Name, g.Fix, g.Reused = spec.Name, spec.FixCommand, v.kept[i].from
	}
	return o, true
}

// keep remembers the outcome of a suite, unless another run could end differently.
func (v *Verdicts) keep(key, from string, o referee.Outcome) {
	if v == nil || key == "" || slices.ContainsFunc(o.Gates, mayChange) {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.kept = slices.DeleteFunc(v.kept, func(k verdict) bool { return k.key == key })
	v.kept = append(v.kept, verdict{key, from, o})
	v.kept = v.kept[max(0, len(v.kept)-maxVerdicts):]
}

// mayChange reports whether a gate may end differently on the same content. A pass counts. So does
// a failure of a static check that names what it found; a test may fail by chance, and a failure
// without findings may be the environment's.
func mayChange(g state.Gate) bool {
	if g.Status == state.GatePassed {
		return false
	}
	static := g.Kind == state.KindLint || g.Kind == state.KindFormat ||
		g.Kind == state.KindTypecheck
	return g.Status != state.GateFailed || g.Exit < 0 || !static || len(g.Places) == 0
}

// suiteKey names a suite of gates, in their order, on a content; empty where the content is not
// known, and for the experiments of a review, which are repeated to see chance. The names of gates
// do not count.
func suiteKey(content string, specs []state.GateSpec, timeout time.Duration) string {
	if content == "" || slices.ContainsFunc(specs,
		func(s state.GateSpec) bool { return s.Source == state.ReviewSource }) {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%q %s\n", content, timeout)
	for _, s := range specs {
		fmt.Fprintf(&b, "%q %q %s %t\n", s.Kind, s.Command, s.Timeout, s.Available)
	}
	return b.String()
}
