package baseline_test

import (
	"context"
	"fmt"

	"autobuild/orchestrator/session/baseline"
	"autobuild/orchestrator/session/call"
)

// Without a git repository there is no base to compare with.
func ExampleResults_Make() {
	results := baseline.Results{Project: &call.Project{}}
	found, notices, err := results.Make(context.Background())
	fmt.Println(found == nil, len(notices), err)
	// Output: true 0 <nil>
}
