package orchestrator

import (
	"time"

	"autobuild/state"
)

// Reset makes one phase pending because a person asked for it, in the order of every event: apply, save.
func Reset(run *state.Run, sink Sink, id, why string, now time.Time) error {
	e := state.Event{
		V: state.EventVersion, Seq: run.Seq + 1, Time: now, Type: state.PhaseReset, Run: run.Config.RunID,
		Phase: id, Text: why, User: true, Status: state.Pending,
	}
	if p, ok := run.Find(id); ok {
		e.Label, e.Name = p.Label, p.Name
	}
	if err := run.Apply(e); err != nil {
		return err
	}
	return sink.Event(e, run)
}
