package local_test

import (
	"context"
	"fmt"

	"autobuild/failure"
	"autobuild/failure/policy"
	"autobuild/orchestrator"
	"autobuild/orchestrator/local"
	"autobuild/plan"
	"autobuild/state"
)

// worker fails the first attempt at the roof, which leaks.
type worker struct{}

func (worker) Attempt(_ context.Context, task state.Task, _ func(state.Event)) (state.Result, error) {
	if task.Phase.Name == "Roof" && task.Attempt == 1 {
		leaks := failure.Diagnosis{Type: failure.TestFailure, Message: "it leaks", Retryable: true}
		return state.Result{Attempt: state.Attempt{Failure: &leaks}}, nil
	}
	return state.Result{Attempt: state.Attempt{Verdict: state.Verified}}, nil
}

// teller is a sink that prints the events of phases.
type teller struct{}

func (teller) Event(e state.Event, r *state.Run) error {
	switch e.Type {
	case state.PhaseStarted:
		fmt.Printf("%s, attempt %d\n", e.Name, e.Attempt)
	case state.RunFinished:
		fmt.Printf("%d of %d: %s\n", r.End.Totals.Complete, r.End.Totals.Phases, r.End.Reason)
	}
	return nil
}

func ExampleEngine_Run() {
	p, err := plan.New(plan.Draft{Phases: []plan.DraftPhase{
		{Phase: plan.Phase{Label: "1", Name: "Walls"}},
		{Phase: plan.Phase{Label: "2", Name: "Roof"}, Needs: []plan.Ref{{Text: "1"}}},
		{Phase: plan.Phase{Label: "3", Name: "Paint"}, Needs: []plan.Ref{{Text: "2"}}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	o := &local.Engine{
		Plan: p, Worker: worker{}, Options: orchestrator.Options{Policy: policy.Single{}}, Sinks: []orchestrator.Sink{teller{}},
		Key: func() string { return "k" },
	}
	var run state.Run
	fmt.Println(o.Run(context.Background(), &run, orchestrator.Session{Config: state.Config{RunID: "house"}}))
	// Output:
	// Walls, attempt 1
	// Roof, attempt 1
	// Roof, attempt 2
	// Paint, attempt 1
	// 3 of 3: all phases complete
	// <nil>
}
