package cmd

import (
	"fmt"

	"autobuild/internal/config"
	"autobuild/orchestrator"
	"autobuild/orchestrator/attempt"
)

// checkOptions finds contradictions that no single flag shows.
func checkOptions(o *config.Options) error {
	switch {
	case o.Resume && o.Fresh:
		return usage("--resume goes on and --fresh starts again", "give one of them")
	case o.Jobs < 0:
		return usage(fmt.Sprintf("--jobs %d is not possible", o.Jobs), "give a number from 1")
	case o.GateJobs < 1:
		return usage(fmt.Sprintf("--gate-jobs %d is not possible", o.GateJobs), "give a number from 1")
	case o.Line["agent"] && o.Line["agent-cmd"]:
		return usage("--agent and --agent-cmd both name an agent", "give one of them")
	case o.MaxCost < 0, o.MaxTokens < 0, o.Timeout < 0, o.Idle < 0, o.GateTimeout < 0, o.MaxWall < 0:
		return usage("a limit is negative", "0 means no limit")
	}
	return nil
}

// usageError is a mistake in how autobuild was called.
type usageError struct{ what, next string }

// Error is what; next.
func (e *usageError) Error() string {
	if e.next == "" {
		return e.what
	}
	return e.what + "; " + e.next
}

func usage(what, next string) error { return &usageError{what, next} }

var _ orchestrator.Worker = (*attempt.Runner)(nil)
