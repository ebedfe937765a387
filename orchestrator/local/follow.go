package local

import (
	"context"

	"autobuild/orchestrator"
	"autobuild/state"
)

// Remote is a run whose phases are started and settled elsewhere.
type Remote interface {
	// Follow passes every event of the run to emit, in order and with its time, and returns how the
	// run ended, with the results of the final gates. It stops where emit reports false: the event
	// could not be saved. The context ends the run: Follow then asks it to stop, and goes on until
	// it has. An error means that the end is unknown, and the run may still go on. Where the run
	// goes by another plan, Follow sets Plan and Options of the engine before it passes that on.
	Follow(ctx context.Context, run *state.Run, o orchestrator.Options,
		emit func(state.Event) bool) (orchestrator.Ending, []state.Gate, error)
}

// Follow records a run that goes on elsewhere, through the same sinks and with the same end as Run.
// A session begins it; nil joins a run that has begun. Where its end is unknown nothing is recorded
// of one, so that a later call may join it again. Worker and Final of the engine are not used.
func (e *Engine) Follow(
	ctx context.Context, run *state.Run, session *orchestrator.Session, remote Remote,
) error {
	l := e.newLoop(ctx, run)
	defer l.cancel()
	if session != nil && !l.begin(*session) {
		return l.ending.Err
	}
	ending, final, err := remote.Follow(l.ctx, run, l.options, func(e state.Event) bool {
		if e.Type == state.PlanEdited {
			l.plan, l.options = l.Plan, l.Options
		}
		if e.Time.IsZero() {
			return l.emit(e)
		}
		return l.emitAt(e, e.Time)
	})
	if err != nil && l.ending.Cause != orchestrator.StoreFailed {
		return err
	}
	l.ending, l.final = l.ending.Then(ending), final
	return l.close(ctx)
}
