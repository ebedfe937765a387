// Package gates holds the gates of a run: which commands judge a phase, and how they run outside
// attempts. A Set finds them in the configuration, the plan, the stack and the user's commit hooks;
// a Runner runs them where no phase works. It does not know what their results mean.
package gates

import (
	"path/filepath"
	"slices"
	"sync"

	"autobuild/internal/environ"
	"autobuild/internal/safefile"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/verify"
	"autobuild/plan"
	"autobuild/state"
)

// Set is the gates of a run.
type Set struct {
	Environ    environ.Environ
	Configured []state.GateSpec
	// names of the user's commit hooks that are a gate; none: there is no such gate
	Hooks []string

	first []state.GateSpec // found at the start

	mu     sync.Mutex
	landed []state.GateSpec // that phases of this session have landed with
	// names of blind gates, with the content of the file that defines each
	blind map[string]string
}

// Detect returns the gates of the configuration and of the stack as it is now in root, with the
// stack's name. A phase's own gates come with the phase.
func (s *Set) Detect(root string) (gates []state.GateSpec, stack string) {
	found := verify.Detect(root)
	s.first = verify.Probe(root, s.Environ,
		verify.Merge(s.Configured, nil, slices.Concat(found.Gates, s.hooks())))
	return s.first, found.Name
}

// In returns the gates of one phase as detected in dir. A gate that was found at the start, or that
// a phase has landed with, keeps its command even if a later phase changes the files that led to
// its detection.
func (s *Set) In(dir string, p plan.Phase) []state.GateSpec {
	s.mu.Lock()
	known := slices.Concat(s.first, s.landed)
	s.mu.Unlock()
	known = slices.DeleteFunc(known,
		func(g state.GateSpec) bool { return g.Source == verify.SourceConfig })
	merged := verify.Merge(s.Configured, call.PlanGates(p),
		slices.Concat(known, verify.Detect(dir).Gates))
	return verify.Probe(dir, s.Environ, s.seeing(dir, merged))
}

// Blind excludes a gate as long as the file that defines it has this content.
func (s *Set) Blind(name, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.blind == nil {
		s.blind = map[string]string{}
	}
	s.blind[name] = text
}

// seeing removes blind gates. A gate from the plan is kept.
func (s *Set) seeing(dir string, all []state.GateSpec) []state.GateSpec {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(all, func(g state.GateSpec) bool {
		text, blind := s.blind[g.Name]
		if !blind || g.Source == verify.SourcePlan {
			return false
		}
		now, _ := safefile.Read(filepath.Join(dir, filepath.FromSlash(g.Source)), maxSource)
		return string(now) == text
	})
}

// maxSource is the size limit, in bytes, of a compared file.
const maxSource = 1 << 20

// Keep remembers the gates that a phase has landed with.
func (s *Set) Keep(gates []state.GateSpec) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range gates {
		known := slices.ContainsFunc(s.landed,
			func(k state.GateSpec) bool { return k.Name == g.Name })
		if !known && g.Source != verify.SourceConfig && g.Source != verify.SourcePlan &&
			!IsHooks(g) {
			s.landed = append(s.landed, g)
		}
	}
}

// hooks is the gate of the commit hooks, as the user would run it; attempts run copies of the
// hooks.
func (s *Set) hooks() []state.GateSpec {
	if len(s.Hooks) == 0 {
		return nil
	}
	return []state.GateSpec{{
		Name: hooksGate, Kind: state.KindCustom, Command: "git hook run " + s.Hooks[0],
		Source: attempt.SourceHooks, Available: true,
	}}
}
