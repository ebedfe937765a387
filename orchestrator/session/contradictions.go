package session

import (
	"fmt"

	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
)

// checkOptions finds contradictions that no single flag shows.
func checkOptions(o *config.Options) error {
	switch {
	case o.Resume && o.Fresh:
		return call.Usage("--resume goes on and --fresh starts again", "give one of them")
	case o.Jobs < 0:
		return call.Usage(fmt.Sprintf("--jobs %d is not possible", o.Jobs), "give a number from 1")
	case o.Line["agent"] && o.Line["agent-cmd"]:
		return call.Usage("--agent and --agent-cmd both name an agent", "give one of them")
	case o.MaxCost < 0, o.MaxTokens < 0, o.MaxFile < 0, o.Timeout < 0, o.Idle < 0, o.GateTimeout < 0,
		o.MaxWall < 0:
		return call.Usage("a limit is negative", "0 means no limit")
	}
	return nil
}
