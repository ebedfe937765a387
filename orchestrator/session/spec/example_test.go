package spec_test

import (
	"encoding/json"
	"fmt"

	"autobuild/orchestrator/session/spec"
)

// A spec is plain data: what is sent is what is received.
func ExampleRunSpec() {
	sent := spec.RunSpec{Plan: spec.Plan{Path: "/project/plan.md", Text: "## Phase 1: Walls"}, OnLimit: "wait"}
	raw, err := json.Marshal(sent)
	var received spec.RunSpec
	if err == nil {
		err = json.Unmarshal(raw, &received)
	}
	fmt.Println(received.Plan.Text, received.OnLimit, err)
	// Output: ## Phase 1: Walls wait <nil>
}
