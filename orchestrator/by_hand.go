package orchestrator

import (
	"time"

	"autobuild/state"
)

// Reset makes one phase pending because a person asked for it, in the order of every event: apply, save.
func Reset(run *state.Run, sink Sink, id, why string, now time.Time) error {
	return byHand(run, sink, state.Event{Type: state.PhaseReset, Phase: id, Text: why, Status: state.Pending, Time: now})
}

// Accept takes the contested changes of a complete phase because a person decided so, in the order of every event: apply, save.
func Accept(run *state.Run, sink Sink, id, why string, now time.Time) error {
	return byHand(run, sink, state.Event{Type: state.PhaseAccepted, Phase: id, Text: why, Status: state.Complete, Time: now})
}

// byHand applies and saves an event between sessions.
func byHand(run *state.Run, sink Sink, e state.Event) error {
	e.V, e.Seq, e.Run, e.User = state.EventVersion, run.Seq+1, run.Config.RunID, true
	if p, ok := run.Find(e.Phase); ok {
		e.Label, e.Name = p.Label, p.Name
	}
	if err := run.Apply(e); err != nil {
		return err
	}
	return sink.Event(e, run)
}
