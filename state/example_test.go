package state_test

import (
	"fmt"

	"autobuild/state"
)

func ExampleRun_Apply() {
	run := &state.Run{}
	for _, e := range []state.Event{
		{Type: state.RunStarted, Config: &state.Config{RunID: "r1"}, Phases: []state.Seed{{ID: "1", Label: "1", MaxAttempts: 2}}},
		{Type: state.PhaseStarted, Phase: "1", Attempt: 1},
		{Type: state.AttemptFinished, Phase: "1", Result: &state.Attempt{N: 1, Verdict: state.Verified}},
		{Type: state.PhaseStarted, Phase: "1", Attempt: 2},
	} {
		if err := run.Apply(e); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s: %d of %d complete\n", e.Type, run.Totals().Complete, run.Totals().Phases)
	}
	// Output:
	// run.started: 0 of 1 complete
	// phase.started: 0 of 1 complete
	// attempt.finished: 1 of 1 complete
	// phase.started cannot happen to phase 1, which is complete
}
