package gates

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/git"
	"autobuild/orchestrator/session/call"
	"autobuild/state"
)

// hooksGate is the name of the gate that runs the user's commit hooks.
const hooksGate = "hooks"

// FindHooks returns the user's commit hooks, which are a gate unless off is set, a configured gate
// has the same name, or phases share the user's own checkout: hooks look at the index, which is the
// user's there. The notice names hooks that do not run, with the reason.
func FindHooks(
	ctx context.Context, repo *git.Repository, configured []state.GateSpec, shared bool,
) (names []string, notice string, err error) {
	if repo == nil {
		return nil, "", nil
	}
	found, err := repo.CommitHooks(ctx)
	if err != nil || len(found) == 0 {
		return nil, "", err
	}
	var why string
	switch {
	case call.OnWindows: // the shell of gates there is not the one that hooks are called with
		why = "on Windows"
	case slices.ContainsFunc(configured,
		func(g state.GateSpec) bool { return g.Name == hooksGate }):
		return nil, "", nil
	case shared:
		why = "--isolation none"
	default:
		return found, "", nil
	}
	return nil, fmt.Sprintf("git's hook %s does not run on the work (%s)",
		strings.Join(found, ", "), why), nil
}

// IsHooks reports whether a gate runs commit hooks, which have nothing to check before there is
// work.
func IsHooks(g state.GateSpec) bool { return g.Source == attempt.SourceHooks }
