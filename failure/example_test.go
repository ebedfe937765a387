package failure_test

import (
	"fmt"

	"autobuild/failure"
)

// Two runs of one test print different numbers and times; masked, they are equal.
func Example() {
	fmt.Println(failure.Mask("refresh: expected 200 after 31ms, got 401 at 10:04:11"))
	fmt.Println(failure.Test{Name: "refresh", File: "auth.test.ts", Line: 30, Expected: "200", Received: "401"})
	// Output:
	// refresh: expected <n> after <duration>, got <n> at <time>
	// refresh (auth.test.ts:30): expected 200, received 401
}
