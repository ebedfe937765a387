package texttest_test

import (
	"fmt"
	"slices"

	"autobuild/internal/text/texttest"
)

// The pieces hold what a terminal would obey.
func Example() {
	fmt.Println(slices.Contains(texttest.Hostile, "\x1b[2J"))
	// Output: true
}
