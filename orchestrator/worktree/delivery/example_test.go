package delivery_test

import (
	"fmt"

	"autobuild/orchestrator/worktree/delivery"
)

// An obstacle holds facts; the zero Obstacle means that the work arrived.
func ExampleObstacle() {
	for _, why := range []delivery.Obstacle{{}, {Code: delivery.Changed, Path: "main.go"}} {
		fmt.Printf("%t %q\n", why.None(), why)
	}
	// Output:
	// true ""
	// false "changed main.go"
}
