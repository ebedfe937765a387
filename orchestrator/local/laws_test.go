package local

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autobuild/failure"
	"autobuild/orchestrator"
	"autobuild/orchestrator/plantest"
	"autobuild/plan"
	"autobuild/state"
)

func TestMain(m *testing.M) {
	_ = flag.Set("rapid.checks", "1500")
	flag.Parse()
	os.Exit(m.Run())
}

// behaviour is what a fake worker does with a phase.
type behaviour int

const (
	works      behaviour = iota
	failsOnce            // the first attempt fails, the second works
	fails                // always, in a new way each time
	failsAlike           // always, in the same way
	hopeless             // fails at once, and may not be retried
	behaviours
)

// world is a random plan with what becomes of each phase.
type world struct {
	plan  *plan.Plan
	does  []behaviour
	takes []time.Duration
	opts  orchestrator.Options
}

func drawWorld(t *rapid.T) world {
	w := world{plan: plantest.Draw(t)}
	for range w.plan.Len() {
		w.does = append(w.does, behaviour(rapid.SampledFrom([]int{0, 0, 0, 0, 1, 1, 2, 3, 4}).Draw(t, "does")))
		w.takes = append(w.takes, time.Duration(rapid.IntRange(1, 20).Draw(t, "takes"))*time.Minute)
	}
	w.opts = orchestrator.Options{
		Jobs:      rapid.IntRange(1, 5).Draw(t, "jobs"),
		Schedule:  rapid.SampledFrom([]orchestrator.Schedule{orchestrator.Batch, orchestrator.Eager}).Draw(t, "schedule"),
		KeepGoing: rapid.Bool().Draw(t, "keep going"),
	}
	return w
}

// once is the policy of one retry, as small as a test can say it.
type once struct{}

func (once) Attempts() int { return 2 }

func (once) Decide(d failure.Diagnosis, h failure.History) failure.Decision {
	if d.Retryable && len(h.Failures) == 0 {
		return failure.Decision{Action: failure.Retry, Attempts: 2, Rationale: "first failure"}
	}
	return failure.Decision{Action: failure.Fail, Attempts: 2, Rationale: "no try left"}
}

// fake is a worker without agents, and a sink that checks the laws at every event.
type fake struct {
	w        world
	events   []state.Event
	seen     []error
	attempts map[string]int // that ended in success or failure, ever
	running  map[string]bool
	dieAt    int // the sink fails at this event; 0: never
	count    int
	policies map[string]failure.Policy // of phases that have one of their own
	heard    func(state.Task)          // looks at every task; may be nil
	still    []int                     // positions of phases that must not start
}

func (f *fake) try(ctx context.Context, task state.Task, report func(state.Event)) (state.Attempt, error) {
	i, _ := f.w.plan.Index(task.Phase.ID)
	if f.heard != nil {
		f.heard(task)
	}
	report(state.Event{Type: state.Activity, Text: "busy"})
	select {
	case <-time.After(f.w.takes[i]):
	case <-ctx.Done():
		return state.Attempt{}, context.Cause(ctx)
	}
	report(state.Event{Type: state.GateFinished, Gate: &state.Gate{Name: "test"}})
	d := failure.Diagnosis{Type: failure.TestFailure, Message: "broken", Retryable: true, Fingerprint: strconv.Itoa(task.Attempt)}
	switch f.w.does[i] {
	case failsOnce:
		if task.Attempt == 1 {
			return state.Attempt{Verdict: state.Refused}, &failure.Failure{Diagnosis: d}
		}
	case fails:
		return state.Attempt{Verdict: state.Refused}, &failure.Failure{Diagnosis: d}
	case failsAlike:
		d.Fingerprint = "same"
		return state.Attempt{Verdict: state.Refused}, &failure.Failure{Diagnosis: d}
	case hopeless:
		d.Type, d.Retryable = failure.DependencyMissing, false
		return state.Attempt{Verdict: state.Refused}, &failure.Failure{Diagnosis: d}
	case works, behaviours:
	}
	return state.Attempt{Verdict: state.Verified, Commit: &state.Commit{Message: "done"}}, nil
}

var (
	errLights = errors.New("the lights went out")
	errEver   = errors.New("it goes on for ever")
)

// muchMore is a number of events that no run of these plans comes near.
const muchMore = 10_000

// Event checks what must hold at every moment.
func (f *fake) Event(e state.Event, r *state.Run) error {
	f.count++
	if f.dieAt != 0 && f.count >= f.dieAt {
		return errLights
	}
	if f.count > muchMore {
		return errEver
	}
	if e.Type.Kept() {
		f.events = append(f.events, e)
	}
	if f.policies != nil {
		f.bounded(e, r)
	}
	switch e.Type {
	case state.PhaseStarted:
		f.started(e, r)
	case state.AttemptFinished:
		delete(f.running, e.Phase)
		f.attempts[e.Phase]++
	case state.PhaseInterrupted:
		delete(f.running, e.Phase)
	case state.PhaseBlocked:
		f.blocked(e, r)
	}
	return nil
}

func (f *fake) broke(format string, args ...any) {
	f.seen = append(f.seen, fmt.Errorf(format, args...))
}

func (f *fake) started(e state.Event, r *state.Run) {
	i, _ := f.w.plan.Index(e.Phase)
	for _, need := range f.w.plan.Needs(i) {
		if r.Phases[need].Status != state.Complete {
			f.broke("%s started before %s was complete", e.Phase, r.Phases[need].ID)
		}
	}
	if slices.Contains(f.still, i) {
		f.broke("%s is frozen and started", e.Phase)
	}
	f.running[e.Phase] = true
	if len(f.running) > f.w.opts.Jobs {
		f.broke("%d run at once, %d may", len(f.running), f.w.opts.Jobs)
	}
	if f.w.opts.Schedule == orchestrator.Eager {
		return
	}
	for j := range r.Phases {
		other := &r.Phases[j]
		sibling := f.w.plan.Level(j) == f.w.plan.Level(i)
		if sibling && e.Attempt > 1 && other.Status == state.Running && len(other.Attempts) < e.Attempt {
			f.broke("%s is retried while sibling %s still makes its attempt %d", e.Phase, other.ID, len(other.Attempts))
		}
		if f.w.plan.Level(j) < f.w.plan.Level(i) && (other.Status == state.Running || other.Status == state.Pending) {
			f.broke("%s started before batch %d had ended: %s is %s", e.Phase, f.w.plan.Level(j), other.ID, other.Status)
		}
	}
}

func (f *fake) blocked(e state.Event, r *state.Run) {
	root, ok := r.Find(e.By)
	if !ok || root.Status != state.Failed || root.Retry {
		f.broke("%s is said to be blocked by %q, which is no failed phase", e.Phase, e.By)
		return
	}
	i, _ := f.w.plan.Index(root.ID)
	j, _ := f.w.plan.Index(e.Phase)
	if !slices.Contains(f.w.plan.Descendants(i), j) {
		f.broke("%s is blocked by %s and does not depend on it", e.Phase, e.By)
	}
}

func newFake(w world) *fake {
	return &fake{w: w, attempts: make(map[string]int), running: make(map[string]bool)}
}

// play runs or resumes a run in virtual time; cancelAfter cancels it then, 0 never.
func (f *fake) play(t *testing.T, run *state.Run, cancelAfter time.Duration) (err error) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		if cancelAfter > 0 {
			timer := time.AfterFunc(cancelAfter, func() { cancel(&orchestrator.Interrupted{Signal: "SIGINT"}) })
			defer timer.Stop()
		}
		session := orchestrator.Session{Config: state.Config{RunID: "r1", Plan: "plan.md"}}
		if run.Config.RunID != "" {
			session.Decisions = orchestrator.Resume(f.w.plan, run, orchestrator.ResumeOptions{})
		}
		key := 0
		options := f.w.opts
		options.Policy, options.Policies = once{}, f.policies
		o := &Engine{
			Plan: f.w.plan, Worker: working{f}, Sinks: []orchestrator.Sink{f}, Options: options,
			Key: func() string { key++; return strconv.Itoa(key) },
		}
		err = o.Run(ctx, run, session)
	})
	return err
}

// expected is what becomes of every phase when nothing interferes.
func (w world) expected() []state.Status {
	out := make([]state.Status, w.plan.Len())
	for i := range out { // edges point backwards in these plans
		out[i] = state.Complete
		if d := w.does[i]; d == fails || d == failsAlike || d == hopeless {
			out[i] = state.Failed
		}
		for _, need := range w.plan.Needs(i) {
			if out[need] == state.Failed || out[need] == state.Blocked {
				out[i] = state.Blocked
			}
		}
	}
	return out
}

func statuses(r *state.Run) []state.Status {
	out := make([]state.Status, len(r.Phases))
	for i := range r.Phases {
		out[i] = r.Phases[i].Status
	}
	return out
}

// tries is how many attempts a phase gets that is not disturbed.
func (w world) tries(i int) int {
	switch w.does[i] {
	case failsOnce, fails, failsAlike:
		return 2
	}
	return 1
}

func (f *fake) check(t *rapid.T, run *state.Run) {
	t.Helper()
	for _, err := range f.seen {
		t.Errorf("law broken: %v", err)
	}
	var replayed state.Run
	for _, e := range f.events {
		if err := replayed.Apply(e); err != nil {
			t.Fatalf("replaying %s of %s: %v", e.Type, e.Phase, err)
		}
	}
	if diff := cmp.Diff(run.Phases, replayed.Phases); diff != "" {
		t.Errorf("the diary tells another story (-run +replayed):\n%s", diff)
	}
	if len(f.running) > 0 {
		t.Errorf("still running at the end: %v", f.running)
	}
}

// Undisturbed, every phase ends as its nature says, with exactly one retry where that may help.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		f := newFake(w)
		var run state.Run
		err := f.play(t, &run, 0)
		f.check(rt, &run)
		want := w.expected()
		got := statuses(&run)
		allWell := !slices.Contains(want, state.Failed)
		if halt, ok := errors.AsType[*orchestrator.HaltError](err); allWell && err != nil || !allWell && (!ok || len(halt.Failed) == 0) {
			rt.Fatalf("Run = %v with phases %v", err, got)
		}
		for i, status := range got {
			id := run.Phases[i].ID
			stopped := status == state.Pending && !allWell && !w.opts.KeepGoing
			if status != want[i] && !stopped {
				rt.Errorf("phase %s is %s, want %s", id, status, want[i])
			}
			if (status == state.Complete || status == state.Failed) && f.attempts[id] != w.tries(i) {
				rt.Errorf("phase %s (%d) made %d attempts, want %d", id, w.does[i], f.attempts[id], w.tries(i))
			}
		}
		if run.End == nil || run.End.Totals != run.Totals() {
			rt.Errorf("the end does not tell the totals: %+v", run.End)
		}
	})
}

// Cancelled at any moment and resumed, the run comes to the same end; nothing complete runs again,
// no retry is spent.
func TestInterruptions(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		w.opts.KeepGoing = true
		f := newFake(w)
		var run state.Run
		for range rapid.IntRange(1, 3).Draw(rt, "strokes") {
			after := time.Duration(rapid.IntRange(1, 60).Draw(rt, "after")) * time.Minute
			complete := statuses(&run)
			err := f.play(t, &run, after)
			if i, ok := errors.AsType[*orchestrator.Interrupted](err); ok && i.Signal != "SIGINT" {
				rt.Fatalf("Run = %v", err)
			}
			for i, status := range complete {
				if status == state.Complete && run.Phases[i].Status != state.Complete {
					rt.Errorf("phase %s was complete and is %s", run.Phases[i].ID, run.Phases[i].Status)
				}
			}
		}
		failedBefore := 0
		for i := range run.Phases {
			if run.Phases[i].Status == state.Failed {
				failedBefore++
			}
		}
		f.attempts = make(map[string]int)
		done := statuses(&run)
		err := f.play(t, &run, 0)
		if _, halted := errors.AsType[*orchestrator.HaltError](err); err != nil && !halted {
			rt.Fatalf("Run = %v", err)
		}
		f.check(rt, &run)
		if diff := cmp.Diff(w.expected(), statuses(&run)); diff != "" {
			rt.Errorf("another end (-want +got):\n%s", diff)
		}
		for i := range run.Phases {
			id := run.Phases[i].ID
			if done[i] == state.Complete && f.attempts[id] > 0 {
				rt.Errorf("phase %s was complete and ran again", id)
			}
			if done[i] != state.Complete && run.Phases[i].Status != state.Blocked && f.attempts[id] != w.tries(i) {
				rt.Errorf("phase %s got %d attempts after the interruption, want %d", id, f.attempts[id], w.tries(i))
			}
		}
	})
}

// Lights: for every k, a sink that dies at event k, then resume from what it had heard: the same
// end.
func TestLights(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		w.opts.KeepGoing = true
		k := rapid.IntRange(1, 40).Draw(rt, "k")
		f := newFake(w)
		f.dieAt = k
		var lost state.Run
		err := f.play(t, &lost, 0)
		if f.count >= k && !errors.Is(err, errLights) {
			rt.Fatalf("Run = %v although recording failed", err)
		}
		var disk state.Run // the run as recorded
		for _, e := range f.events {
			if err := disk.Apply(e); err != nil {
				rt.Fatal(err)
			}
		}
		complete := make([]bool, w.plan.Len())
		for i := range disk.Phases {
			complete[i] = disk.Phases[i].Status == state.Complete
		}
		after := newFake(w)
		after.events = f.events
		if err := after.play(t, &disk, 0); err != nil {
			if _, halted := errors.AsType[*orchestrator.HaltError](err); !halted {
				rt.Fatalf("resumed Run = %v", err)
			}
		}
		after.check(rt, &disk)
		if diff := cmp.Diff(w.expected(), statuses(&disk)); diff != "" {
			rt.Errorf("another end (-want +got):\n%s", diff)
		}
		for i := range complete {
			if id := disk.Phases[i].ID; complete[i] && after.attempts[id] > 0 {
				rt.Errorf("phase %s was complete and ran again", id)
			}
		}
	})
}
