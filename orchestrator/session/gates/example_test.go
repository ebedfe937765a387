package gates_test

import (
	"fmt"

	"autobuild/orchestrator/session/gates"
	"autobuild/plan"
	"autobuild/state"
)

// A phase is judged by the gates of the configuration and by its own.
func ExampleSet_In() {
	set := gates.Set{Configured: []state.GateSpec{{Name: "test", Command: "go test ./...", Source: "config"}}}
	phase := plan.Phase{ID: "1", Gates: []plan.Gate{{Name: "lint", Command: "golangci-lint run"}}}
	for _, g := range set.In("testdata", phase) {
		fmt.Println(g.Name, g.Command)
	}
	// Output:
	// lint golangci-lint run
	// test go test ./...
}
