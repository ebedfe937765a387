package term_test

import (
	"fmt"
	"os"
	"time"

	"autobuild/plan"
	"autobuild/render"
	"autobuild/render/term"
	"autobuild/state"
)

// A sink prints a run line by line.
func Example() {
	sink := term.Plain{W: os.Stdout}
	var run state.Run
	for _, e := range []state.Event{
		{
			Type: state.RunStarted, Phases: []state.Seed{{ID: "1", Label: "1", Name: "Setup", MaxAttempts: 2}},
			Config: &state.Config{
				RunID: "01JDZ8", Autobuild: "0.1.0", Plan: "plan.md", Agent: "script", CommitMode: state.CommitAuto, Jobs: 1,
				Gates: []state.GateSpec{{Name: "test", Available: true}}, Counts: state.Counts{Phases: 1, Batches: 1},
			},
		},
		{Type: state.PhaseStarted, Phase: "1", Label: "1", Name: "Setup", Attempt: 1, Attempts: 2},
		{Type: state.AttemptFinished, Phase: "1", Label: "1", Result: &state.Attempt{
			N: 1, Duration: 90 * time.Second, Verdict: state.Verified, Commit: &state.Commit{Message: "feat: set up"},
		}},
	} {
		e.Time = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
		if err := run.Apply(e); err != nil {
			fmt.Println(err)
		}
		if err := sink.Event(e, &run); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// 09:30:00 ..  start    autobuild 0.1.0, plan plan.md, 1 phase in 1 batch, jobs 1, commit auto, agent script, run 01JDZ8
	// 09:30:00 ..  gates    test
	// 09:30:00 ..  batch    1 of 1: 1
	// 09:30:00 1   start    Setup (attempt 1/2)
	// 09:30:00 1   done     1m30s  feat: set up
}

// Findings are shown as compilers show them.
func ExampleProblems() {
	fmt.Print(term.Problems("plan.md", plan.Problems{{
		Code: "E-UNKNOWN", Severity: plan.Error, Pos: plan.Pos{Line: 7, Col: 16}, Width: 2,
		Line: "| 3 | Deploy | 2D |", Message: "unknown phase 2D", Hint: "did you mean 2A?",
	}}, render.Style{}))
	// Output:
	// error[E-UNKNOWN]: unknown phase 2D
	//  --> plan.md:7:16
	//   |
	// 7 | | 3 | Deploy | 2D |
	//   |                ^^
	//   = help: did you mean 2A?
	//
	// 1 error
}
