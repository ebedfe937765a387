package orchestrator

import (
	"time"

	"autobuild/plan"
	"autobuild/state"
)

// Record stamps an event, applies it to the run and returns it as sinks are to have it: with what
// the run says now. It is the only way in which a run changes. The error is a
// *state.TransitionError, and then nothing has changed.
func Record(
	p *plan.Plan, run *state.Run, o Options, e state.Event, now time.Time,
) (state.Event, error) {
	e.V, e.Time, e.Run = state.EventVersion, now, run.Config.RunID
	if e.Config != nil {
		e.Run = e.Config.RunID
	}
	if e.Type.Lifecycle() {
		e.Seq = run.Seq + 1
	}
	bound(&e)
	if phase, ok := run.Find(e.Phase); ok {
		e.Label, e.Name = phase.Label, phase.Name
	}
	if err := run.Apply(e); err != nil {
		return e, err
	}
	phase, ok := run.Find(e.Phase)
	if ok {
		e.Status = phase.Status
	}
	switch {
	case e.Type == state.Heartbeat:
		w := waitingFor(p, run, o, now)
		e.Account, e.Until, e.Waiting = w.account, w.until, w.phases
	case e.Type == state.AttemptFinished && e.Status == state.Waiting &&
		!phase.Until.IsZero(): // else another agent goes on
		e.Account, e.Until, e.Waiting = phase.Account, phase.Until,
			waitingFor(p, run, o, now).phases
		if s, ok := run.Limited()[phase.Account]; ok {
			e.Until = s.Until
		}
	}
	return e, nil
}

// bound leaves out of an event what would make it too large to be stored.
func bound(e *state.Event) {
	if e.Result != nil {
		result := e.Result.Bounded()
		e.Result = &result
	}
	if e.Gate != nil {
		gate := e.Gate.Bounded()
		e.Gate = &gate
	}
}

// Reset makes one phase pending because a person asked for it: the event is applied, then saved.
func Reset(run *state.Run, sink Sink, id, why string, now time.Time) error {
	return byHand(run, sink, state.Event{Type: state.PhaseReset, Phase: id, Text: why, User: true},
		now)
}

// Accept takes the contested changes of a complete phase because a person decided so: the event is
// applied, then saved.
func Accept(run *state.Run, sink Sink, id, why string, now time.Time) error {
	return byHand(run, sink, state.Event{
		Type: state.PhaseAccepted, Phase: id, Text: why,
		User: true,
	}, now)
}

// byHand records an event between sessions.
func byHand(run *state.Run, sink Sink, e state.Event, now time.Time) error {
	e, err := Record(nil, run, Options{}, e, now)
	if err != nil {
		return err
	}
	return sink.Event(e, run)
}
