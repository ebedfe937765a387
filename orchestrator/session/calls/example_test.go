package calls_test

import (
	"fmt"
	"strings"

	"autobuild/orchestrator/session/calls"
	"autobuild/state"
)

// A session that spent its budget resumes with as much again.
func ExampleAfter_Resume() {
	run := &state.Run{Phases: []state.Phase{{Spent: state.Usage{CostUSD: 2}}}}
	after := calls.After{
		Program: []string{"autobuild"}, Plan: "plan.md", Given: []string{"--only=2A", "--max-cost=2"}, Run: run,
		Config: state.Config{CommitMode: state.CommitAuto}, CostUSD: 2,
	}
	fmt.Println(strings.Join(after.Resume(false), " "))
	// Output: autobuild plan.md --commit=auto --only=2A --max-cost=4 --resume
}
