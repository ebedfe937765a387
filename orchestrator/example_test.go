package orchestrator_test

import (
	"fmt"
	"time"

	"autobuild/failure/policy"
	"autobuild/orchestrator"
	"autobuild/plan"
	"autobuild/state"
)

// An engine asks Next, records that an attempt starts, lets a worker make it, and settles its
// result.
func ExampleNext() {
	p, err := plan.New(plan.Draft{Phases: []plan.DraftPhase{
		{Phase: plan.Phase{Label: "1", Name: "Walls"}},
		{Phase: plan.Phase{Label: "2", Name: "Roof"}, Needs: []plan.Ref{{Text: "1"}}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	var run state.Run
	now, options := time.Time{}, orchestrator.Options{Policy: policy.Single{}}
	record := func(e state.Event) {
		e, err := orchestrator.Record(p, &run, options, e, now)
		fmt.Println(e.Seq, e.Type, e.Name, err)
	}
	session := orchestrator.Session{Config: state.Config{RunID: "house"}}
	for _, e := range session.Events(p, options) {
		record(e)
	}
	for _, a := range orchestrator.Next(p, &run, options, now) {
		record(orchestrator.Started(p, &run, options, a, "key"))
		task := orchestrator.NewTask(p, &run, options, a.Phase)
		landed := orchestrator.Finished{Phase: task.Phase.ID, Result: state.Result{}}
		record(orchestrator.Settle(p, &run, options, landed, now).Event)
	}
	fmt.Println(run.Phases[0].Status, run.Phases[1].Status)
	// Output:
	// 1 run.started  <nil>
	// 2 phase.started Walls <nil>
	// 3 attempt.finished Walls <nil>
	// complete pending
}
