package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"autobuild/failure"
	"autobuild/failure/policy"
	"autobuild/orchestrator"
	"autobuild/orchestrator/plantest"
	"autobuild/plan"
	"autobuild/state"
)

// deaf is a sink that only records events; on may react to them.
type deaf struct {
	events []state.Event
	on     func(e state.Event, r *state.Run) error
}

func (d *deaf) Event(e state.Event, r *state.Run) error {
	d.events = append(d.events, e)
	if d.on != nil {
		return d.on(e, r)
	}
	return nil
}

// story is what was heard of one type and everything after a dot: "phase.started 2a".
func (d *deaf) story() []string {
	var words []string
	for _, e := range d.events {
		words = append(words, strings.TrimSpace(string(e.Type)+" "+e.Phase))
	}
	return words
}

func (d *deaf) count(kind state.EventType) int {
	n := 0
	for _, e := range d.events {
		if e.Type == kind {
			n++
		}
	}
	return n
}

// hand is a worker that does what its phase is given to do; phases without any work are done at
// once.
type hand map[string]func(ctx context.Context, task state.Task, report func(state.Event)) error

func (h hand) try(ctx context.Context, task state.Task, report func(state.Event)) (state.Attempt, error) {
	a := state.Attempt{Verdict: state.Verified, Commit: &state.Commit{Message: "did " + task.Phase.ID}}
	if work := h[task.Phase.ID]; work != nil {
		if err := work(ctx, task, report); err != nil {
			return state.Attempt{Verdict: state.Refused}, err
		}
	}
	return a, nil
}

func asleep(d time.Duration) func(context.Context, state.Task, func(state.Event)) error {
	return func(ctx context.Context, _ state.Task, _ func(state.Event)) error {
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func failsWith(kind failure.Type) func(context.Context, state.Task, func(state.Event)) error {
	return func(_ context.Context, task state.Task, _ func(state.Event)) error {
		return &failure.Failure{Diagnosis: failure.Diagnosis{
			Type: kind, Message: "broken", Retryable: kind.Retryable(), Fingerprint: strconv.Itoa(task.Attempt),
		}}
	}
}

func orchestra(p *plan.Plan, w trier, sinks ...orchestrator.Sink) *Engine {
	return &Engine{Plan: p, Worker: working{w}, Options: single, Sinks: sinks, Key: func() string { return "key" }, Heartbeat: -1}
}

var single = orchestrator.Options{Policy: policy.Single{}}

// trier is a worker that returns a failure of its phase as an error; working makes it one that
// returns results.
type trier interface {
	try(ctx context.Context, task state.Task, report func(state.Event)) (state.Attempt, error)
}

type working struct{ trier }

func (w working) Attempt(ctx context.Context, task state.Task, report func(state.Event)) (state.Result, error) {
	return state.ResultOf(w.try(ctx, task, report))
}

func fresh() orchestrator.Session { return orchestrator.Session{Config: state.Config{RunID: "r1"}} }

// Every event is applied, saved, shown, and only then acted on; lifecycle events are numbered
// without a gap.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []string
		saves := &deaf{on: func(e state.Event, r *state.Run) error {
			if e.Type == state.PhaseStarted {
				if p, _ := r.Find(e.Phase); p.Status != state.Running || e.Status != state.Running || p.Attempts[0].Key != "key" {
					t.Errorf("saved before it was applied: %+v", p)
				}
				order = append(order, "saved")
			}
			return nil
		}}
		shows := &deaf{on: func(e state.Event, _ *state.Run) error {
			if e.Type == state.PhaseStarted {
				order = append(order, "shown")
			}
			return nil
		}}
		work := hand{"1": func(_ context.Context, task state.Task, report func(state.Event)) error {
			order = append(order, "acted")
			// a worker may not change the run
			report(state.Event{Type: state.PhaseReset, Phase: "1"})
			report(state.Event{Type: state.GateFinished, Phase: "9", Attempt: 9, Gate: &state.Gate{Name: "test"}})
			return nil
		}}
		var run state.Run
		if err := orchestra(plantest.New(t, "1"), work, saves, shows).Run(t.Context(), &run, fresh()); err != nil {
			t.Fatal(err)
		}
		if want := []string{"saved", "shown", "acted"}; !slices.Equal(order, want) {
			t.Errorf("order %q, want %q", order, want)
		}
		want := []string{"run.started", "phase.started 1", "gate.finished 1", "attempt.finished 1", "run.finished"}
		if diff := cmp.Diff(want, saves.story()); diff != "" {
			t.Errorf("story (-want +got):\n%s", diff)
		}
		var seq int64
		for _, e := range saves.events {
			if e.Type.Lifecycle() {
				seq++
			}
			if e.V != state.EventVersion || e.Run != "r1" || e.Time.IsZero() || e.Type.Lifecycle() && e.Seq != seq || !e.Type.Lifecycle() && e.Seq != 0 {
				t.Errorf("stamped as %+v, number %d", e, seq)
			}
			if e.Phase == "1" && (e.Label != "1" || e.Name != "phase" || e.Type != state.RunFinished && e.Attempt != 1) {
				t.Errorf("%s is of phase %q %q, attempt %d", e.Type, e.Label, e.Name, e.Attempt)
			}
		}
		if run.End == nil || run.End.Outcome != state.Done || run.End.Totals.Complete != 1 {
			t.Errorf("end %+v", run.End)
		}
	})
}

// A worker that breaks is no failed phase: siblings finish, nothing new starts, and no attempt is
// spent.
func TestMachineryBreaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("disk full")
		work := hand{
			"2a": func(context.Context, state.Task, func(state.Event)) error { return fmt.Errorf("opening: %w", broken) },
			"2b": asleep(time.Hour),
		}
		var run state.Run
		heard := &deaf{}
		err := orchestra(plantest.New(t, plantest.Diamond...), work, heard).Run(t.Context(), &run, fresh())
		if !errors.Is(err, broken) || err.Error() != "phase 2A: opening: disk full" {
			t.Errorf("Run = %v", err)
		}
		if got, want := statuses(&run), []state.Status{state.Complete, state.Pending, state.Complete, state.Pending}; !slices.Equal(got, want) {
			t.Errorf("statuses %q, want %q", got, want)
		}
		if len(run.Phases[1].Attempts) != 0 {
			t.Error("the breakdown has spent an attempt")
		}
		if run.End == nil || run.End.Outcome != state.Broken || run.End.Reason != err.Error() {
			t.Errorf("end %+v", run.End)
		}
		for _, e := range heard.events {
			if e.Type == state.PhaseInterrupted && e.Text != "opening: disk full" {
				t.Errorf("interrupted because %q", e.Text)
			}
		}
	})
}

// A panic in a worker is autobuild's own trouble like any other, with its stack.
func TestWorkerPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		work := hand{
			"2a": func(context.Context, state.Task, func(state.Event)) error { panic("index out of range") },
			"2b": asleep(time.Hour),
		}
		var run state.Run
		err := orchestra(plantest.New(t, plantest.Diamond...), work).Run(t.Context(), &run, fresh())
		fault, ok := errors.AsType[*PanicError](err)
		if !ok || err.Error() != "phase 2A: internal error: index out of range" || !strings.Contains(string(fault.Stack), "TestWorkerPanics") {
			t.Errorf("Run = %v", err)
		}
		if run.Phases[2].Status != state.Complete || run.End == nil || run.End.Outcome != state.Broken {
			t.Errorf("its sibling is %s, the end %+v", run.Phases[2].Status, run.End)
		}
	})
}

func TestHeartbeat(t *testing.T) {
	for name, c := range map[string]struct {
		every time.Duration
		lines int // of kind, one every 40 s
		kind  state.EventType
		want  int
	}{
		"default":                      {0, 0, "", 5},
		"chosen":                       {20 * time.Second, 0, "", 16},
		"none":                         {-1, 0, "", 0},
		"put off by what is shown":     {0, 8, state.Notice, 0},
		"not put off by signs of life": {0, 8, state.Activity, 5},
		"nor by gates that start":      {0, 8, state.GateStarted, 5},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				work := hand{"1": func(ctx context.Context, task state.Task, report func(state.Event)) error {
					for range c.lines {
						time.Sleep(40 * time.Second)
						report(state.Event{Type: c.kind, Text: "busy"})
					}
					if c.lines == 0 {
						time.Sleep(330 * time.Second)
					}
					return nil
				}}
				heard := &deaf{}
				o := orchestra(plantest.New(t, "1"), work, heard)
				o.Heartbeat = c.every
				var run state.Run
				if err := o.Run(t.Context(), &run, fresh()); err != nil {
					t.Fatal(err)
				}
				if got := heard.count(state.Heartbeat); got != c.want {
					t.Errorf("%d heartbeats, want %d", got, c.want)
				}
			})
		})
	}
}

// Signs of life never hold up a worker: while a sink is slow the oldest give way, and the newest is
// shown.
func TestActivityGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const lines = 10_000
		reported := make(chan struct{})
		work := hand{"1": func(_ context.Context, _ state.Task, report func(state.Event)) error {
			for i := range lines {
				report(state.Event{Type: state.Activity, Text: strconv.Itoa(i)})
			}
			close(reported)
			time.Sleep(time.Second) // its end would overtake what is not shown yet
			return nil
		}}
		var shown []int
		slow := &deaf{on: func(e state.Event, _ *state.Run) error {
			if e.Type == state.Activity {
				<-reported
				n, err := strconv.Atoi(e.Text)
				shown = append(shown, n)
				return err
			}
			return nil
		}}
		var run state.Run
		if err := orchestra(plantest.New(t, "1"), work, slow).Run(t.Context(), &run, fresh()); err != nil {
			t.Fatal(err)
		}
		if !slices.IsSorted(shown) || len(shown) == 0 || shown[len(shown)-1] != lines-1 {
			t.Errorf("shown: %d", shown)
		}
		if len(shown) > linesKept+1 {
			t.Errorf("%d lines were kept, more than %d", len(shown), linesKept)
		}
	})
}

// A usage limit is waited out in the account's time, and spends no attempt.
func TestUsageLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		met := 0
		work := hand{
			"1": func(_ context.Context, task state.Task, _ func(state.Event)) error {
				if met++; met <= 2 {
					d := failure.Diagnosis{Type: failure.UsageLimit, Message: "later"}
					if met == 1 {
						d.Until = begun.Add(2 * time.Hour)
					}
					return &failure.Failure{Diagnosis: d}
				}
				if task.Attempt != 1 || len(task.Earlier) != 0 {
					t.Errorf("attempt %d after %d others", task.Attempt, len(task.Earlier))
				}
				return nil
			},
		}
		o := orchestra(plantest.New(t, "1"), work)
		o.Options.Policy = policy.Single{Poll: 30 * time.Minute}
		var run state.Run
		if err := o.Run(t.Context(), &run, fresh()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took != 150*time.Minute {
			t.Errorf("waited %s, want 2h and then 30m", took)
		}
		if p := run.Phases[0]; len(p.Attempts) != 1 || p.Waits != 0 {
			t.Errorf("phase %+v", p)
		}
	})
}

// A wait ends at a time of the wall clock, even if that is set: the runtime's own reading is left
// out. (In a bubble no time has one.)
func TestWaitIsByTheWall(t *testing.T) {
	met := 0
	work := hand{"1": func(context.Context, state.Task, func(state.Event)) error {
		if met++; met > 1 {
			return nil
		}
		return &failure.Failure{Diagnosis: failure.Diagnosis{Type: failure.UsageLimit, Message: "later"}}
	}}
	heard := &deaf{}
	o := orchestra(plantest.New(t, "1"), work, heard)
	o.Options.Policy = policy.Single{Poll: time.Millisecond}
	var run state.Run
	if err := o.Run(t.Context(), &run, fresh()); err != nil || met != 2 {
		t.Fatal(met, err)
	}
	for _, e := range heard.events {
		if e.Result != nil && e.Result.Decision != nil && strings.Contains(e.Result.Decision.Until.String(), "m=") {
			t.Errorf("it waits until %s", e.Result.Decision.Until)
		}
	}
}

// maxBefore is how many complete phases a task names.
const maxBefore = 20

// A task lists what its worker may use: its siblings, some of the complete phases, and the phase's
// earlier failures.
func TestTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines := []string{"1"}
		for i := range 2 * maxBefore {
			lines = append(lines, fmt.Sprintf("%d: %d", i+2, i+1))
		}
		last := len(lines)
		lines = append(lines, fmt.Sprintf("X: %d", last), fmt.Sprintf("Y: %d", last), fmt.Sprintf("Z: %d", last))
		var tasks []state.Task
		work := hand{"z": asleep(time.Minute), "x": func(_ context.Context, task state.Task, _ func(state.Event)) error {
			tasks = append(tasks, task)
			if task.Attempt == 1 {
				return failsWith(failure.TestFailure)(nil, task, nil)
			}
			return nil
		}}
		var run state.Run
		if err := orchestra(plantest.New(t, lines...), work).Run(t.Context(), &run, fresh()); err != nil {
			t.Fatal(err)
		}
		if len(tasks) != 2 {
			t.Fatalf("%d attempts", len(tasks))
		}
		first, second := tasks[0], tasks[1]
		if first.Position != last+1 || first.Of != last+3 || first.Attempt != 1 || first.Key != "key" || len(first.Earlier) != 0 {
			t.Errorf("first: number %d of %d, attempt %d, %d before", first.Position, first.Of, first.Attempt, len(first.Earlier))
		}
		if got := plan.Labels(first.Beside); got != "Y, Z" {
			t.Errorf("beside the first attempt: %s", got)
		}
		if got := plan.Labels(second.Beside); got != "" { // they have ended
			t.Errorf("beside the retry: %s", got)
		}
		if len(first.Before) != maxBefore || first.Before[0] != (state.Finished{Label: "1", Name: "phase", Message: "did 1"}) ||
			first.Before[maxBefore-1].Label != strconv.Itoa(last) || first.Before[maxBefore-2].Label != strconv.Itoa(maxBefore-1) {
			t.Errorf("before: %+v", first.Before)
		}
		if len(second.Earlier) != 1 || second.Earlier[0].Failure == nil || second.Earlier[0].Failure.Type != failure.TestFailure || second.Attempt != 2 {
			t.Errorf("second: attempt %d after %+v", second.Attempt, second.Earlier)
		}
	})
}
