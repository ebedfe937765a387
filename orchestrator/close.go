package orchestrator

import (
	"context"
	"errors"
	"time"

	"autobuild/failure"
	"autobuild/state"
)

// closingTime bounds how long the last work of a session waits for what it needs; the user's own cancellation does not reach it.
const closingTime = time.Minute

// close ends the session: it names the outcome, lets Closing do the last work, and announces it all.
func (l *loop) close(ctx context.Context) error {
	err := l.verdict(ctx)
	if l.mute {
		return err
	}
	end := outcome(err)
	if err == nil && !l.run.Finished() {
		end.Reason = "all phases that were asked for are complete"
	}
	end.Totals, end.Final = l.run.Totals(), l.whole
	if l.Closing != nil {
		last, done := context.WithTimeout(context.WithoutCancel(ctx), closingTime)
		failed := l.Closing(last, &end, err)
		switch {
		case failed != nil && err == nil:
			err = failed
			end.Outcome, end.Reason = state.Broken, failed.Error()
		case failed != nil:
			l.tell(state.Event{Type: state.Notice, Text: "the last work of the run failed too: " + failed.Error()})
		}
		done()
	}
	end.Time = l.now()
	end.Elapsed = max(0, end.Time.Sub(l.begun))
	if failed := l.announce(state.Event{Type: state.RunFinished, End: &end}); failed != nil {
		return failed // the end itself is not written down: that is what has to be told
	}
	return err
}

// verdict is the error that Run returns.
func (l *loop) verdict(ctx context.Context) error {
	switch {
	case l.broken != nil:
		return l.broken
	case l.end == nil: // nothing had been decided yet
		return context.Cause(ctx)
	case l.end.Kind == Finish && len(unmet(l.whole)) > 0:
		return &HaltError{Final: unmet(l.whole), Reason: wholeReason(unmet(l.whole))}
	case l.end.Kind == Finish:
		return nil
	case l.end.Kind == Stop:
		return &StopError{Type: l.end.StopType, Reason: l.end.Reason}
	}
	labels, reason := haltReason(l.run)
	halt := &HaltError{Failed: labels, Reason: reason}
	for i := range l.run.Phases {
		last, _ := l.run.Phases[i].Last()
		halt.Unusable = halt.Unusable || last.Failure != nil && last.Failure.Type == failure.AgentUnusable
	}
	return halt
}

// outcome names the end that an error stands for.
func outcome(err error) state.End {
	halt, halted := errors.AsType[*HaltError](err)
	stop, stopped := errors.AsType[*StopError](err)
	switch {
	case err == nil:
		return state.End{Outcome: state.Done, Reason: "all phases complete"}
	case halted:
		return state.End{Outcome: state.Halted, Reason: halt.Reason}
	case stopped:
		return state.End{Outcome: state.Stopped, Reason: stop.Reason}
	case errors.Is(err, context.Canceled):
		return state.End{Outcome: state.Interrupted, Reason: err.Error()}
	}
	return state.End{Outcome: state.Broken, Reason: err.Error()}
}

// Interrupted is the cause with which a context is cancelled when a person or the system ends the run.
type Interrupted struct {
	Signal string // "SIGINT"
}

// Error names the signal.
func (e *Interrupted) Error() string { return "interrupted by " + e.Signal }

// Is makes an interruption a cancellation.
func (*Interrupted) Is(target error) bool { return target == context.Canceled }

// Deadline is the cause with which a context is cancelled when the run's own time is over.
func Deadline(limit time.Duration) error {
	return &StopError{Type: failure.Timeout, Reason: "the run's time is over: " + limit.String()}
}
