// Package activities does on a worker what a run's workflow asks for: attempts, integrations and
// final gates. Each one is a session of its own in a clone of its own, made by the same packages as
// a run on one machine; what it leaves goes into git before its outcome is reported, so that a
// second try of the same errand finds it. It does not know what the run does next.
package activities

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"autobuild/internal/environ"
	"autobuild/orchestrator"
	"autobuild/orchestrator/session/call"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"autobuild/temporal/dataplane"
	"autobuild/temporal/wire"
)

// DefaultBeat is the time between two heartbeats of an activity.
const DefaultBeat = 15 * time.Second

// busyPause is how long an errand waits that a busy worker has left to another one.
const busyPause = 500 * time.Millisecond

// declines is how often a worker that lacks something leaves an errand to another one.
const declines = 3

// Worker makes attempts on one machine. Every field is required but Beat,
// Slots and Now; a nil Now is time.Now.
type Worker struct {
	Mirror  *dataplane.Mirror
	Name    string
	Dir     string          // absolute: clones and logs
	Environ environ.Environ // of agents and gates
	Out     io.Writer       // notes of sessions
	Beat    time.Duration   // 0: DefaultBeat
	Busy    *atomic.Int64   // errands at work
	Slots   int             // errands at once; 0: any number
	Now     func() time.Time
}

func (w *Worker) now() time.Time {
	if w.Now == nil {
		return time.Now()
	}
	return w.Now()
}

// every is the time between two heartbeats.
func (w *Worker) every() time.Duration {
	if w.Beat <= 0 {
		return DefaultBeat
	}
	return w.Beat
}

// clock is the clock of the server, as the beginning of an activity shows it: the time of a limit's
// reset must not depend on the clock of a worker.
func (w *Worker) clock(ctx context.Context) func() time.Time {
	ahead := w.now().Sub(activity.GetInfo(ctx).StartedTime)
	return func() time.Time { return w.now().Add(-ahead) }
}

// errMoved is the cause with which an errand is cancelled when its worker ends.
var errMoved = &orchestrator.Interrupted{Signal: "the end of its worker"}

// errStopped is the cause when the run stops.
var errStopped = &orchestrator.Interrupted{Signal: "the run's stop"}

// Attempt makes one attempt at a phase.
func (w *Worker) Attempt(ctx context.Context, e wire.Errand) (wire.Outcome, error) {
	info := activity.GetInfo(ctx)
	if slices.Contains(e.Avoid, w.Name) && info.Attempt <= declines {
		return wire.Outcome{}, temporal.NewApplicationError("another worker may have it",
			wire.Declined)
	}
	return w.carryOut(ctx, e, func(ctx context.Context, beat *beat) (wire.Outcome, error) {
		out, ok, err := w.found(ctx, e)
		if err != nil || ok && !slices.Contains(e.Avoid, out.Worker) {
			return out, err
		}
		return w.visit(ctx, e, beat, nil)
	})
}

// Final runs the gates of the whole plan on the line's tip.
func (w *Worker) Final(ctx context.Context, e wire.Errand) (wire.Outcome, error) {
	return w.carryOut(ctx, e, func(ctx context.Context, beat *beat) (wire.Outcome, error) {
		return w.visit(ctx, e, beat, nil)
	})
}

// beat is the sign of life of an errand.
type beat struct {
	mu     sync.Mutex
	detail wire.Beat
}

func (b *beat) stage(s string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.detail.Stage = s
}

func (b *beat) tail(commit string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.detail.Tail = commit
}

func (b *beat) now() wire.Beat {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.detail
}

// carryOut does an errand under heartbeats of its own. It ends early, without having spent an
// attempt, when the run stops or the worker ends; errors become those that Temporal may retry, or
// may not.
func (w *Worker) carryOut(
	ctx context.Context, e wire.Errand,
	do func(context.Context, *beat) (wire.Outcome, error),
) (wire.Outcome, error) {
	busy := w.Busy.Add(1)
	defer w.Busy.Add(-1)
	if w.Slots > 0 && busy > int64(w.Slots) {
		return wire.Outcome{}, temporal.NewApplicationErrorWithOptions("the worker is busy",
			wire.Busy, temporal.ApplicationErrorOptions{NextRetryDelay: busyPause})
	}
	b := &beat{detail: wire.Beat{Worker: w.Name, Phase: e.Phase, Stage: "git"}}
	activity.RecordHeartbeat(ctx, b.now())
	inner, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	ended := make(chan struct{})
	var beating sync.WaitGroup
	beating.Go(func() {
		tick := time.NewTicker(w.every())
		defer tick.Stop()
		stopped, moved := ctx.Done(), activity.GetWorkerStopChannel(ctx)
		for {
			select {
			case <-ended:
				return
			case <-stopped:
				stopped = nil
				cancel(errStopped)
			case <-moved:
				moved = nil
				cancel(errMoved)
			case <-tick.C:
				activity.RecordHeartbeat(ctx, b.now())
			}
		}
	})
	out, err := do(inner, b)
	close(ended)
	beating.Wait()
	out.Worker = w.Name
	err = w.reported(ctx, inner, e, &out, err)
	return out, err
}

// reported is an error as Temporal is to see it.
func (w *Worker) reported(
	ctx, inner context.Context, e wire.Errand, out *wire.Outcome, err error,
) error {
	cause := context.Cause(inner)
	away, isAway := errors.AsType[*dataplane.AwayError](err)
	switch {
	case errors.Is(cause, errMoved) && ctx.Err() == nil && (err != nil || out.Interrupted):
		return temporal.NewApplicationErrorWithOptions("the worker ends", wire.Moved,
			temporal.ApplicationErrorOptions{NextRetryDelay: 100 * time.Millisecond})
	case cause != nil && err != nil:
		out.Interrupted = true
		return nil
	case isDeclined(err):
		return err
	case isAway:
		w.note("%s: %s", e.Phase, away)
		return temporal.NewApplicationError("git's remote cannot be reached", wire.Away)
	case err != nil:
		w.note("%s: %s", e.Phase, err)
		return temporal.NewNonRetryableApplicationError("an error of the worker; its log has it",
			wire.Broken, nil)
	}
	return nil
}

func isDeclined(err error) bool {
	failed, ok := errors.AsType[*temporal.ApplicationError](err)
	return ok && failed.Type() == wire.Declined
}

func (w *Worker) note(format string, args ...any) {
	_, _ = fmt.Fprintf(w.Out, "autobuild-temporal: worker %s: %s\n", w.Name,
		strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "; "))
}

// found is the outcome of an attempt that was made before, by a worker that could not report it.
func (w *Worker) found(ctx context.Context, e wire.Errand) (out wire.Outcome, ok bool, err error) {
	record, err := w.Mirror.Ref(ctx, dataplane.RecordRef(e.Run, phaseOf(e), e.Key))
	if err != nil || record == "" {
		return out, false, err
	}
	r, err := dataplane.ReadRecord(ctx, w.Mirror.Git, record)
	r.Outcome.Ref.Record = record
	return r.Outcome, true, err
}

// phaseOf names the records of an errand.
func phaseOf(e wire.Errand) string {
	if e.Phase == "" {
		return "final"
	}
	return e.Phase
}

// caller is the call of a session on this worker.
func (w *Worker) caller(dir, config string, v *visit) *call.Call {
	quiet := func() (<-chan struct{}, func()) { return nil, func() {} }
	return &call.Call{
		Stdout: io.Discard, Stderr: prefixed{w, &v.settled}, Environ: w.Environ, Dir: call.Physical(dir),
		ConfigFile: config, NoColor: true, Now: v.now, Exit: func(int) {},
		Signals: call.Signals{
			Stop: func(ctx context.Context, _ func(string)) (
				context.Context, <-chan struct{}, func(),
			) {
				return ctx, nil, func() {}
			},
			GoOn: quiet, Continued: quiet, Quit: func(func()) func() { return func() {} },
		},
	}
}

// prefixed writes the notes of sessions to the worker's log, once the plan has been read: what is
// to be said of that, the starter has said.
type prefixed struct {
	w     *Worker
	heard *bool
}

// Write writes p as notes, a line each.
func (p prefixed) Write(b []byte) (int, error) {
	for line := range strings.Lines(string(b)) {
		if !*p.heard {
			break
		}
		if line = strings.TrimSpace(line); line != "" {
			p.w.note("%s", line)
		}
	}
	return len(b), nil
}

// Sweep removes what killed predecessors left in dir: their clones. It must not be called while
// errands are at work.
func Sweep(dir string) error {
	left, err := filepath.Glob(filepath.Join(dir, "work", "*"))
	for _, path := range left {
		if failed := os.RemoveAll(path); failed != nil {
			err = errors.Join(err, failed)
		}
	}
	return err
}
