package local

import (
	"context"
	"time"

	"autobuild/orchestrator"
	"autobuild/state"
)

// closingTime bounds the last work of a session; the user's own cancellation does not reach it.
const closingTime = time.Minute

// runFinalGates runs the gates that the plan states for the whole, once every phase is complete.
// One that fails halts the run like a phase that fails, and a resume runs them again.
func (l *loop) runFinalGates() {
	if l.Final == nil || l.ending.Cause != orchestrator.Completed || l.ctx.Err() != nil ||
		!l.run.Finished() {
		return
	}
	events, done := make(chan state.Event), make(chan error, 1)
	var gates []state.Gate
	warm := l.run.Warm()
	l.group.Go(func() error {
		var err error
		defer func() {
			if p := panicked(recover()); p != nil {
				err = p
			}
			done <- err
		}()
		gates, err = l.Final(l.ctx, warm, func(e state.Event) { events <- e })
		return nil
	})
	for {
		select {
		case e := <-events:
			l.emit(e)
		case r := <-l.Requests:
			r.Answer("", orchestrator.ErrEnding)
		case <-l.beat.C:
			l.emit(state.Event{Type: state.Heartbeat})
		case err := <-done:
			switch {
			case l.ctx.Err() != nil && l.ending.Cause == orchestrator.Completed:
				l.ending = orchestrator.Ending{} // cancelled: nothing is known of the whole
				return
			case err != nil:
				l.ending = l.ending.Then(orchestrator.Ending{Cause: orchestrator.Broken, Err: err})
			}
			l.final = gates
			return
		}
	}
}

// close ends the session: it names the outcome, lets Closing do the last work, and records the end.
func (l *loop) close(ctx context.Context) error {
	err := l.ending.Error(l.run, l.final, context.Cause(ctx))
	if l.ending.Cause == orchestrator.StoreFailed {
		return err
	}
	end := orchestrator.Outcome(err)
	if err == nil && !l.run.Finished() {
		end.Reason = "all phases that were asked for are complete"
	}
	end.Totals, end.Final = l.run.Totals(), l.final
	if l.Closing != nil {
		last, done := context.WithTimeout(context.WithoutCancel(ctx), closingTime)
		failed := l.Closing(last, &end, err)
		switch {
		case failed != nil && err == nil:
			err = failed
			end.Outcome, end.Reason = state.Broken, failed.Error()
		case failed != nil:
			l.emit(state.Event{Type: state.Notice, Text: "the last work of the run failed too: " +
				failed.Error()})
		}
		done()
	}
	end.Time = l.clock.now()
	end.Elapsed = max(0, end.Time.Sub(l.begun))
	if !l.emit(state.Event{Type: state.RunFinished, End: &end}) {
		return l.ending.Err // the end itself is not saved: that is what the user has to know
	}
	return err
}
