package workflow

import (
	"autobuild/orchestrator"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"autobuild/temporal/wire"
)

// list notes the state of the run where lists of runs show it, when it has changed.
func (d *driver) list(state string) {
	if d.in.Listing == "" || d.in.Listed == state {
		return
	}
	d.in.Listed = state
	err := workflow.UpsertMemo(d.ctx, map[string]any{wire.ListedState: state})
	if err == nil && d.in.Listing == wire.Indexed {
		err = workflow.UpsertTypedSearchAttributes(d.ctx,
			temporal.NewSearchAttributeKeyKeyword(wire.ListedState).ValueSet(state))
	}
	if err != nil {
		workflow.GetLogger(d.ctx).Warn("the state is not listed", "error", err)
	}
}

// state is the word for a run that goes on.
func (d *driver) state() string {
	if !d.run.Config.Paused.IsZero() {
		return "paused"
	}
	return wire.Running
}

// outcome is the word for a run that has ended.
func (d *driver) outcome() string {
	switch d.ending.Cause {
	case orchestrator.Completed:
		return "complete"
	case orchestrator.Limited:
		return "at a limit"
	case orchestrator.PhaseFailed:
		return "halted"
	case orchestrator.Broken, orchestrator.StoreFailed:
		return "broken"
	case orchestrator.GoesOn:
	}
	return "stopped"
}
