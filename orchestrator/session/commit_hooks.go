package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"autobuild/internal/call"
	"autobuild/orchestrator/attempt"
	"autobuild/state"
)

// hooksGate is the name of the gate that runs the user's commit hooks.
const hooksGate = "hooks"

// findHooks notes the user's commit hooks, which are a gate unless they are left out: by flag, or
// by a gate of the same name in the configuration.
func (s *session) findHooks(ctx context.Context) error {
	if s.project.Repo == nil {
		return nil
	}
	names, err := s.project.Repo.CommitHooks(ctx)
	if err != nil || len(names) == 0 {
		return err
	}
	replaced := slices.ContainsFunc(s.project.Config.Gates, func(g state.GateSpec) bool { return g.Name == hooksGate })
	switch {
	case s.o.NoVerify:
		s.unasked(names, "--no-verify")
	case call.OnWindows: // the shell of gates there is not the one that hooks are called with
		s.unasked(names, "on Windows")
	case replaced:
	default:
		s.hooks = names
	}
	return nil
}

// unasked says which hooks the work passes by.
func (s *session) unasked(names []string, why string) {
	s.begin.Notices = append(s.begin.Notices, fmt.Sprintf("git's hook %s is not asked about the work (%s)", strings.Join(names, ", "), why))
}

// hookGates is the gate of the commit hooks, as people would run it by hand; attempts ask the
// hooks' copies. Where phases share the user's own checkout there is none: hooks look at the index,
// which is the user's there.
func (s *session) hookGates(isolation state.Isolation) []state.GateSpec {
	if isolation == state.NoIsolation && len(s.hooks) > 0 {
		s.unasked(s.hooks, "--isolation none")
		s.hooks = nil
	}
	if len(s.hooks) == 0 {
		return nil
	}
	return []state.GateSpec{{
		Name: hooksGate, Kind: state.KindCustom, Command: "git hook run " + s.hooks[0], Source: attempt.SourceHooks, Available: true,
	}}
}

// isHooks reports whether a gate runs commit hooks, which have nothing to check before there is
// work.
func isHooks(g state.GateSpec) bool { return g.Source == attempt.SourceHooks }
