package cmd

import (
	"context"
	"errors"
	"slices"

	"autobuild/internal/call"
	"autobuild/internal/proc"
	"autobuild/internal/text"
	"autobuild/orchestrator/session/calls"
	"autobuild/orchestrator/session/detach"
	"autobuild/state/store"
)

// rejoin starts a process that follows the run here, where the run goes on elsewhere and the process
// that followed it is gone. It returns when the state here is that of the run. What keeps it from
// that is a note: the command then shows what is stored.
func (a *app) rejoin(ctx context.Context) {
	if a.more.Engine == nil {
		return
	}
	p, err := a.OpenProject(ctx, &proc.Runner{}, nil)
	if err != nil || store.Working(p.StateDir, p.LockDir) || !store.Exists(p.StateDir) {
		return // the command itself says what is wrong
	}
	run, _, err := store.Load(p.StateDir, nil)
	if err != nil || run.End != nil {
		return
	}
	joins, err := a.more.Engine.Joins(ctx, p, run)
	if err != nil {
		a.Note("this is what is stored here; the run may go on: %s", text.Clean(err.Error(), 300))
	}
	if err != nil || !joins {
		return
	}
	again := calls.Stored(a.Call, p, run, store.Holder{}).Next()
	args := slices.Concat(again[1:], []string{"--progress=quiet"})
	started, err := detach.Start(ctx, a.Call, args)
	if _, seen := errors.AsType[*call.ShownError](err); err != nil && !seen {
		a.Note("the run goes on, and cannot be followed here: %s", text.Clean(err.Error(), 300))
	}
	if err == nil {
		a.Note("the run goes on elsewhere; process %d follows it here", started.PID)
	}
}
