package local

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"autobuild/failure"
	"autobuild/orchestrator"
	"autobuild/orchestrator/plantest"
	"autobuild/state"
)

// A limit that is reset while the last attempts end does not start again what was stopped for it.
func TestStopIsFinal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		work := hand{
			"1": func(context.Context, state.Task, func(state.Event)) error {
				return &failure.Failure{Diagnosis: failure.Diagnosis{Type: failure.UsageLimit, Until: time.Now().Add(time.Minute)}}
			},
			"2": asleep(time.Hour),
		}
		var run state.Run
		heard := &deaf{}
		o := orchestra(plantest.New(t, "1", "2", "3: 2"), work, heard)
		o.Options.StopLimit, o.Heartbeat = true, time.Minute
		err := o.Run(t.Context(), &run, fresh())
		if stop, ok := errors.AsType[*orchestrator.StopError](err); !ok || stop.Type != failure.UsageLimit {
			t.Errorf("Run = %v", err)
		}
		if got, want := statuses(&run), []state.Status{state.Waiting, state.Complete, state.Pending}; !slices.Equal(got, want) || heard.count(state.PhaseStarted) != 2 {
			t.Errorf("statuses %q after %d starts, want %q", got, heard.count(state.PhaseStarted), want)
		}
	})
}

// A part that is complete is said to be one.
func TestPartCompletes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := orchestra(plantest.New(t, "1", "2"), hand{})
		o.Options.Selected = []bool{true, false}
		var run state.Run
		if err := o.Run(t.Context(), &run, fresh()); err != nil {
			t.Fatal(err)
		}
		if run.End.Outcome != state.Done || run.End.Reason != "all phases that were asked for are complete" || run.Phases[1].Status != state.Pending {
			t.Errorf("end %+v", run.End)
		}
	})
}

// A run stops at each event that cannot be saved, and the caller gets that error.
func TestRecordingFails(t *testing.T) {
	full := errors.New("disk full")
	for _, kind := range []state.EventType{state.RunStarted, state.PhaseStarted, state.AttemptFinished, state.Activity, state.PhaseBlocked, state.RunFinished} {
		t.Run(string(kind), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				after := &deaf{}
				before := &deaf{on: func(e state.Event, _ *state.Run) error {
					if e.Type == kind {
						return full
					}
					return nil
				}}
				started := 0
				work := hand{"1": func(_ context.Context, _ state.Task, report func(state.Event)) error {
					started++
					report(state.Event{Type: state.Activity, Text: "busy"})
					// a sign of life that its attempt's end overtakes is not recorded at all
					synctest.Wait()
					return failsWith(failure.FileConflict)(nil, state.Task{}, nil)
				}}
				closed := false
				o := orchestra(plantest.New(t, "1", "2: 1", "3"), work, before, after)
				o.Options.Jobs = 1
				o.Closing = func(context.Context, *state.End, error) error { closed = true; return nil }
				var run state.Run
				if err := o.Run(t.Context(), &run, fresh()); !errors.Is(err, full) || err.Error() != "recording "+string(kind)+": disk full" {
					t.Errorf("Run = %v", err)
				}
				if n := after.count(kind); n != 0 {
					t.Errorf("what could not be saved was shown %d times", n)
				}
				if last := before.events[len(before.events)-1]; last.Type != kind {
					t.Errorf("%s was announced after %s had failed", last.Type, kind)
				}
				if first := kind == state.RunStarted || kind == state.PhaseStarted; first != (started == 0) {
					t.Errorf("the worker was started %d times", started)
				}
				if closed != (kind == state.RunFinished) {
					t.Errorf("closing work was done: %t", closed)
				}
			})
		})
	}
}

// Two phases start at the same moment: when the first start cannot be saved, the second is neither
// emitted nor started.
func TestNothingStartsUnrecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := errors.New("disk full")
		heard := &deaf{}
		heard.on = func(e state.Event, _ *state.Run) error {
			if e.Type == state.PhaseStarted && heard.count(state.PhaseStarted) == 1 {
				return full
			}
			return nil
		}
		begun := func(_ context.Context, task state.Task, _ func(state.Event)) error {
			t.Errorf("phase %s was started", task.Phase.ID)
			return nil
		}
		var run state.Run
		err := orchestra(plantest.New(t, "1", "2"), hand{"1": begun, "2": begun}, heard).Run(t.Context(), &run, fresh())
		if n := heard.count(state.PhaseStarted); !errors.Is(err, full) || n != 1 {
			t.Errorf("%d starts were told: %v", n, err)
		}
	})
}

func TestClosing(t *testing.T) {
	late := errors.New("cannot deliver")
	for name, c := range map[string]struct {
		work    hand
		closing error
		outcome state.Outcome
		reason  string
		halts   bool
	}{
		"all is well":            {hand{}, nil, state.Done, "all phases complete", false},
		"closing fails":          {hand{}, late, state.Broken, "cannot deliver", false},
		"a phase failed":         {hand{"1": failsWith(failure.FileConflict)}, nil, state.Halted, "Phase 1 needs a person: file_conflict", true},
		"… and so does closing":  {hand{"1": failsWith(failure.FileConflict)}, late, state.Halted, "Phase 1 needs a person: file_conflict", true},
		"a retry did not help":   {hand{"1": failsWith(failure.LintError)}, nil, state.Halted, "Phase 1 failed after retry", true},
		"the agent is of no use": {hand{"1": failsWith(failure.AgentUnusable)}, nil, state.Halted, "Phase 1 failed: agent_unusable", true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				heard := &deaf{}
				o := orchestra(plantest.New(t, "1"), c.work, heard)
				o.Closing = func(ctx context.Context, end *state.End, cause error) error {
					if _, bounded := ctx.Deadline(); !bounded || ctx.Err() != nil {
						t.Errorf("the last work is not bounded, or over: %v", ctx.Err())
					}
					if (cause != nil) != c.halts || end.Totals.Phases != 1 {
						t.Errorf("closing hears of %v and %+v", cause, end)
					}
					end.Exit, end.Merge = 7, "git merge x"
					return c.closing
				}
				var run state.Run
				err := o.Run(t.Context(), &run, fresh())
				halt, halted := errors.AsType[*orchestrator.HaltError](err)
				if halted != c.halts || !c.halts && !errors.Is(err, c.closing) {
					t.Errorf("Run = %v", err)
				}
				if halted && (halt.Unusable != strings.Contains(c.reason, "unusable") || !slices.Equal(halt.Failed, []string{"1"}) || halt.Error() != c.reason) {
					t.Errorf("halt %+v", halt)
				}
				if n := heard.count(state.Notice); (n == 1) != (c.halts && c.closing != nil) {
					t.Errorf("%d notices of trouble at the end", n)
				}
				if e := run.End; e == nil || e.Outcome != c.outcome || e.Reason != c.reason || e.Exit != 7 || e.Merge != "git merge x" {
					t.Errorf("end %+v", e)
				}
			})
		})
	}
}

// The ways to stop a run from outside: the cause comes back, an interruption is not a failure, and
// what landed counts.
func TestStoppedFromOutside(t *testing.T) {
	for name, c := range map[string]struct {
		cause   error
		outcome state.Outcome
	}{
		"by a signal":   {&orchestrator.Interrupted{Signal: "SIGTERM"}, state.Interrupted},
		"by its time":   {orchestrator.Deadline(time.Hour), state.Stopped},
		"by the caller": {context.Canceled, state.Interrupted},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				time.AfterFunc(time.Minute, func() { cancel(c.cause) })
				work := hand{
					"1": asleep(time.Hour),
					"2": func(ctx context.Context, _ state.Task, _ func(state.Event)) error { <-ctx.Done(); return nil },
					"3": func(ctx context.Context, _ state.Task, _ func(state.Event)) error {
						<-ctx.Done()
						return failsWith(failure.AgentError)(nil, state.Task{}, nil)
					},
				}
				var run state.Run
				heard := &deaf{}
				o := orchestra(plantest.New(t, "1", "2", "3", "4"), work, heard)
				o.Options.Jobs = 3
				o.Closing = func(last context.Context, _ *state.End, _ error) error { return last.Err() }
				if err := o.Run(ctx, &run, fresh()); !errors.Is(err, c.cause) {
					t.Errorf("Run = %v, want %v", err, c.cause)
				}
				if got, want := statuses(&run), []state.Status{state.Pending, state.Complete, state.Pending, state.Pending}; !slices.Equal(got, want) {
					t.Errorf("statuses %q, want %q", got, want)
				}
				if n := heard.count(state.Notice); n > 0 {
					t.Error("the last work was stopped too")
				}
				if n := heard.count(state.PhaseStarted); n != 3 {
					t.Errorf("%d phases were started", n)
				}
				if run.End == nil || run.End.Outcome != c.outcome || run.End.Reason != c.cause.Error() || run.End.Elapsed != time.Minute {
					t.Errorf("end %+v", run.End)
				}
			})
		})
	}
}

// At a budget nothing new starts; running attempts are paid for and end.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		work := costly{hand{"2": asleep(time.Hour)}}
		o := orchestra(plantest.New(t, "1", "2", "3"), work)
		o.Options = orchestrator.Options{Policy: o.Options.Policy, Jobs: 2, MaxCost: 1}
		var run state.Run
		err := o.Run(t.Context(), &run, fresh())
		stop, ok := errors.AsType[*orchestrator.StopError](err)
		if !ok || stop.Type != failure.BudgetExhausted || stop.Error() != "the cost budget is spent: $1.00 of $1.00" {
			t.Errorf("Run = %v", err)
		}
		if got, want := statuses(&run), []state.Status{state.Complete, state.Complete, state.Pending}; !slices.Equal(got, want) {
			t.Errorf("statuses %q, want %q", got, want)
		}
		if run.End.Outcome != state.Stopped {
			t.Errorf("end %+v", run.End)
		}
	})
}

// costly is a worker whose every attempt costs a dollar.
type costly struct{ hand }

func (c costly) try(ctx context.Context, task state.Task, report func(state.Event)) (state.Attempt, error) {
	a, err := c.hand.try(ctx, task, report)
	a.Usage.CostUSD = 1
	return a, err
}

// No worker runs while a limit is waited out; stopping the run then does not wait for the limit.
func TestStoppedWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		time.AfterFunc(90*time.Second, func() { cancel(&orchestrator.Interrupted{Signal: "SIGINT"}) })
		work := hand{"1": func(ctx context.Context, task state.Task, report func(state.Event)) error {
			if err := asleep(time.Minute)(ctx, task, report); err != nil {
				return err
			}
			return &failure.Failure{Diagnosis: failure.Diagnosis{Type: failure.UsageLimit, Until: time.Now().Add(time.Hour)}}
		}}
		var run state.Run
		heard := &deaf{}
		err := orchestra(plantest.New(t, "1"), work, heard).Run(ctx, &run, fresh())
		if _, ok := errors.AsType[*orchestrator.Interrupted](err); !ok || run.Phases[0].Status != state.Waiting {
			t.Errorf("Run = %v, and phase 1 is %s", err, run.Phases[0].Status)
		}
		if run.End == nil || run.End.Elapsed != 90*time.Second {
			t.Errorf("end %+v", run.End)
		}
		for _, e := range heard.events {
			if e.Result != nil && (e.Result.Duration != time.Minute || e.Result.Ended.Sub(e.Result.Started) != time.Minute) {
				t.Errorf("the attempt took %s, from %s to %s", e.Result.Duration, e.Result.Started, e.Result.Ended)
			}
		}
	})
}
