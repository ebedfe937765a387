package detach_test

import (
	"fmt"

	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"autobuild/orchestrator/session/detach"
)

// A call that is not the process of a detached run has no line to a caller.
func ExampleOpen() {
	line, err := detach.Open(&call.Call{}, &config.Options{})
	fmt.Println(line == nil, err)
	fmt.Println(line.Leave(nil, nil, "", "", nil))
	// Output:
	// true <nil>
	// <nil>
}
