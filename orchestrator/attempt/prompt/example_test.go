package prompt_test

import (
	"fmt"
	"strings"

	"autobuild/orchestrator/attempt/prompt"
	"autobuild/plan"
	"autobuild/state"
)

// A gate that will judge the work is named among the rules.
func ExamplePrompt_String() {
	p := prompt.Prompt{
		Plan: &plan.Plan{}, Task: state.Task{Phase: plan.Phase{Label: "1", Name: "Walls", Text: "Build them."}, Position: 1, Of: 2},
		Gates: []state.GateSpec{{Name: "test", Command: "go test ./..."}}, Nonce: "n1",
	}
	for line := range strings.Lines(p.String()) {
		if strings.Contains(line, "go test") {
			fmt.Print(line)
		}
	}
	// Output: - test: `go test ./...`
}
