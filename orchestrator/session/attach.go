package session

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"autobuild/internal/proc"
	"autobuild/internal/text"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/calls"
	"autobuild/orchestrator/session/config"
	"autobuild/orchestrator/session/detach"
	"autobuild/state/store"
)

// patience bounds the question what happens beyond this machine.
const patience = 2 * time.Second

// Attach starts a process that follows the run here, where the run goes on elsewhere and nothing
// follows it. It returns when the state here is that of the run. What keeps it from that, and what
// the engine knows besides, is a note. A nil engine is this machine; the error is a
// *MissingEngineError where another may know more.
func Attach(ctx context.Context, c *call.Call, engine Engine) error {
	p, err := c.OpenProject(ctx, &proc.Runner{}, nil)
	if err != nil || store.Working(p.StateDir, p.LockDir) {
		return nil // the command itself says what is wrong
	}
	run := remoteRun(p)
	switch {
	case run == nil && store.Exists(p.StateDir):
		return nil
	case engine == nil && run != nil:
		return &MissingEngineError{Name: run.Config.Engine, Stored: true}
	case engine == nil && c.Environ.Get("TEMPORAL_ADDRESS") != "": // the server may know of a run
		return &MissingEngineError{Name: config.EngineTemporal}
	case engine == nil:
		return nil
	}
	asking, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	at, err := engine.Elsewhere(asking, p, "", run)
	if err != nil && run != nil {
		c.Note("this is what is stored here; the run may go on: %s", text.Clean(err.Error(), 300))
	}
	if say := cmp.Or(at.Open, at.Ended); say != "" && !at.Joins {
		c.Note("%s", say)
	}
	if !at.Joins {
		return nil
	}
	again := calls.Stored(c, p, run, store.Holder{}).Next()
	args := slices.Concat(again[1:], []string{"--progress=plain"})
	started, err := detach.Start(ctx, c, args)
	_, shown := errors.AsType[*call.ShownError](err)
	switch {
	case err == nil:
		c.Note("the run goes on elsewhere; process %d follows it here", started.PID)
	case !shown:
		c.Note("the run goes on, and cannot be followed here: %s", text.Clean(err.Error(), 300))
	}
	return nil
}
