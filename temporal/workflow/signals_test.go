package workflow_test

import (
	"context"
	"testing"
	"time"

	"autobuild/failure"
	"autobuild/orchestrator"
	"autobuild/state"
	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"
	sdk "go.temporal.io/sdk/workflow"

	"autobuild/temporal/wire"
	"autobuild/temporal/workflow"
)

// quietLog drops what the test environment reports of its steps.
type quietLog struct{}

func (quietLog) Debug(string, ...any) {}
func (quietLog) Info(string, ...any)  {}
func (quietLog) Warn(string, ...any)  {}
func (quietLog) Error(string, ...any) {}

// staged is a test environment in which every attempt lands after a minute, unless do says
// otherwise.
func staged(
	t *testing.T, lines []string, do func(context.Context, wire.Errand) (wire.Outcome, error),
) (*testsuite.TestWorkflowEnvironment, wire.Input) {
	t.Helper()
	p := newPlay(t, scene{lines: lines})
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(quietLog{})
	env := suite.NewTestWorkflowEnvironment()
	env.RegisterWorkflowWithOptions(workflow.Run, sdk.RegisterOptions{Name: wire.Workflow})
	land := func(_ context.Context, e wire.Errand) (wire.Outcome, error) {
		r, _ := step{}.result(e.Phase, e.Attempt, env.Now())
		return wire.Outcome{
			Result: state.Result{Attempt: wire.ThinAttempt(r.Attempt)}, Worker: "w",
			Ref: wire.Ref{Key: e.Key, Attempt: e.Attempt, Record: "rec", Commit: "c-" + e.Phase},
		}, nil
	}
	if do == nil {
		do = land
	}
	env.RegisterActivityWithOptions(do, activity.RegisterOptions{Name: wire.Attempt})
	env.RegisterActivityWithOptions(land, activity.RegisterOptions{Name: wire.Integrate})
	env.RegisterActivityWithOptions(rowOf(land), activity.RegisterOptions{Name: wire.Row})
	env.OnActivity(wire.Attempt, mock.Anything, mock.Anything).After(time.Minute).Return(do)
	_, in := p.started(t, env.Now())
	return env, in
}

// played runs the workflow and returns its end with the types of its events.
func played(
	t *testing.T, env *testsuite.TestWorkflowEnvironment, in wire.Input,
) (out wire.Output, events map[state.EventType]int) {
	t.Helper()
	env.ExecuteWorkflow(wire.Workflow, in)
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if err := env.GetWorkflowResult(&out); err != nil {
		t.Fatal(err)
	}
	events = make(map[state.EventType]int)
	for _, e := range out.Tail {
		events[e.Type]++
	}
	return out, events
}

// A stop starts nothing more, and the run can be resumed: no attempt is spent.
func TestStop(t *testing.T) {
	for _, now := range []bool{false, true} {
		env, in := staged(t, []string{"1", "2: 1", "3: 2"}, nil)
		env.RegisterDelayedCallback(func() {
			env.SignalWorkflow(wire.Stop, wire.Stopping{Now: now})
		}, 90*time.Second)
		out, events := played(t, env, in)
		if !out.Stopped || out.Cause != orchestrator.GoesOn {
			t.Errorf("now=%t: stopped %t, cause %d", now, out.Stopped, out.Cause)
		}
		if events[state.PhaseStarted] != 2 || events[state.PhaseInterrupted] != 1 {
			t.Errorf("now=%t: %v", now, events)
		}
	}
}

// A usage limit that is waited for ends when the user does not want to wait.
func TestGoOn(t *testing.T) {
	met := false
	var env *testsuite.TestWorkflowEnvironment
	env, in := staged(t, []string{"1"},
		func(_ context.Context, e wire.Errand) (wire.Outcome, error) {
			s := step{}
			if !met {
				s = step{fails: failure.UsageLimit, reset: 100 * time.Hour}
			}
			met = true
			r, _ := s.result(e.Phase, e.Attempt, env.Now())
			out := wire.Outcome{
				Result: state.Result{Attempt: wire.ThinAttempt(r.Attempt)}, Worker: "w",
				Ref: wire.Ref{Key: e.Key, Record: "rec"},
			}
			if f := r.Attempt.Failure; f != nil {
				out.Decision = &failure.Decision{Action: failure.Wait, Until: f.Until}
			}
			return out, nil
		})
	begun := env.Now()
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(wire.GoOn, nil) }, time.Hour)
	out, _ := played(t, env, in)
	if took := env.Now().Sub(begun); out.Cause != orchestrator.Completed || took > 2*time.Hour {
		t.Errorf("cause %d after %s", out.Cause, took)
	}
}

// What one worker's machine lacks is tried once on another, and costs no attempt.
func TestMissingElsewhere(t *testing.T) {
	var env *testsuite.TestWorkflowEnvironment
	var asked []wire.Errand
	env, in := staged(t, []string{"1"},
		func(_ context.Context, e wire.Errand) (wire.Outcome, error) {
			asked = append(asked, e)
			s := step{fails: failure.DependencyMissing}
			if len(e.Avoid) > 0 {
				s = step{}
			}
			r, _ := s.result(e.Phase, e.Attempt, env.Now())
			return wire.Outcome{
				Result: state.Result{Attempt: wire.ThinAttempt(r.Attempt)}, Worker: "bare",
				Ref: wire.Ref{Key: e.Key, Record: "rec"}, Decision: &failure.Decision{},
			}, nil
		})
	out, events := played(t, env, in)
	if out.Cause != orchestrator.Completed || events[state.PhaseStarted] != 1 {
		t.Fatalf("cause %d, %v", out.Cause, events)
	}
	if len(asked) != 2 || len(asked[1].Avoid) != 1 || asked[1].Avoid[0] != "bare" {
		t.Errorf("it was asked %+v", asked)
	}
}

// A long run goes on as a new link of its chain with all that is known of it.
func TestContinues(t *testing.T) {
	env, in := staged(t, []string{"1", "2: 1", "3: 2"}, nil)
	env.SetContinueAsNewSuggested(false)
	env.RegisterDelayedCallback(func() { env.SetContinueAsNewSuggested(true) }, 90*time.Second)
	env.ExecuteWorkflow(wire.Workflow, in)
	again, ok := continued(env.GetWorkflowError())
	if !ok {
		t.Fatalf("it did not go on as a new link: %v", env.GetWorkflowError())
	}
	var next wire.Input
	if err := again(&next); err != nil {
		t.Fatal(err)
	}
	if next.Past != 4 || next.Seq != in.Seq+4 || next.Phases[1].Standing.Status != state.Complete ||
		next.Phases[2].Standing.Status != "" {
		t.Errorf("the next link begins with %+v", next)
	}
	env, _ = staged(t, []string{"1", "2: 1", "3: 2"}, nil)
	out, events := played(t, env, next)
	if out.Cause != orchestrator.Completed || events[state.PhaseStarted] != 1 || out.First != 4 {
		t.Errorf("cause %d, first %d, %v", out.Cause, out.First, events)
	}
}

// What a user has asked of a run holds in the next link of its chain: a pause, and a note.
func TestSteeredContinues(t *testing.T) {
	env, in := staged(t, []string{"1", "2: 1"}, nil)
	send := func(env *testsuite.TestWorkflowEnvironment, c orchestrator.Command) {
		env.UpdateWorkflow(wire.Steer, "", &testsuite.TestUpdateCallback{
			OnAccept: func() {}, OnReject: func(err error) { t.Error(err) },
			OnComplete: func(any, error) {},
		}, wire.ThinCommand(c, ref(1)))
	}
	env.RegisterDelayedCallback(func() {
		env.SetContinueAsNewSuggested(true)
		send(env, orchestrator.Command{
			Kind: orchestrator.NotePhase, Phase: "2", Text: "words", By: "kim",
		})
		send(env, orchestrator.Command{Kind: orchestrator.PauseRun, By: "kim"})
	}, time.Second)
	env.ExecuteWorkflow(wire.Workflow, in)
	again, ok := continued(env.GetWorkflowError())
	var next wire.Input
	if !ok || again(&next) != nil {
		t.Fatalf("it did not go on as a new link: %v", env.GetWorkflowError())
	}
	notes := next.Phases[1].Standing.Notes
	if next.Paused.IsZero() || len(notes) != 1 || notes[0].Text != ref(1) {
		t.Errorf("the next link begins with a pause at %s and notes %v", next.Paused, notes)
	}
	env, _ = staged(t, []string{"1", "2: 1"}, func(_ context.Context, e wire.Errand) (wire.Outcome, error) {
		if e.Phase == "2" && len(e.Phases["2"].Notes) != 1 {
			t.Errorf("phase 2 is attempted with notes %v", e.Phases["2"].Notes)
		}
		r, _ := step{}.result(e.Phase, e.Attempt, env.Now())
		return wire.Outcome{
			Result: state.Result{Attempt: wire.ThinAttempt(r.Attempt)},
			Ref:    wire.Ref{Key: e.Key, Attempt: e.Attempt, Record: "rec", Commit: "c"},
		}, nil
	})
	resumed := env.Now().Add(time.Hour)
	env.RegisterDelayedCallback(func() {
		send(env, orchestrator.Command{Kind: orchestrator.ContinueRun})
	}, time.Hour)
	out, events := played(t, env, next)
	if out.Cause != orchestrator.Completed || events[state.PhaseStarted] != 1 {
		t.Errorf("cause %d, %v", out.Cause, events)
	}
	for _, e := range out.Tail {
		if e.Type == state.PhaseStarted && e.Time.Before(resumed) {
			t.Errorf("phase %s was started at %s, in the pause", e.Phase, e.Time)
		}
	}
}
