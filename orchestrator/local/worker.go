package local

import (
	"context"
	"fmt"
	"runtime/debug"

	"autobuild/orchestrator"
	"autobuild/state"
)

// linesKept bounds the activity events that wait to be shown.
const linesKept = 64

// PanicError is a fault of autobuild's own in a worker.
type PanicError struct {
	Value any
	Stack []byte
}

// Error is what the panic said.
func (e *PanicError) Error() string { return fmt.Sprintf("internal error: %v", e.Value) }

// panicked is the error of a recovered panic; nil is none.
func panicked(value any) error {
	if value == nil {
		return nil
	}
	return &PanicError{Value: value, Stack: debug.Stack()}
}

// attempt lets the worker make one attempt. A panic becomes an error like any other of autobuild's
// own.
func (l *loop) attempt(
	ctx context.Context, worker orchestrator.Worker, task state.Task,
) (f orchestrator.Finished) {
	f.Phase = task.Phase.ID
	defer func() {
		if err := panicked(recover()); err != nil {
			f.Err = err
		}
	}()
	f.Result, f.Err = worker.Attempt(ctx, task, l.reporter(task))
	return f
}

// reporter carries a worker's events to the loop. Activity never blocks a worker: the oldest is
// dropped.
func (l *loop) reporter(task state.Task) func(state.Event) {
	return func(e state.Event) {
		if e.Type.Lifecycle() {
			return // only the loop changes the run
		}
		e.Phase, e.Attempt = task.Phase.ID, task.Attempt
		if e.Type != state.Activity {
			select {
			case l.inbox <- message{event: e}:
			case <-l.closed:
			}
			return
		}
		for {
			select {
			case l.lines <- e:
				return
			default:
			}
			select {
			case <-l.lines:
			default:
			}
		}
	}
}
