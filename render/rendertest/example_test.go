package rendertest_test

import (
	"fmt"

	"autobuild/render/rendertest"
)

// The findings have one of each severity, and two errors.
func Example() {
	for _, finding := range rendertest.Findings() {
		fmt.Println(finding.Severity, finding.Message)
	}
	// Output:
	// error dependency cycle: 2A → 3 → 2A
	// error unknown phase 2D
	// warning odd box
	// info read as superplan
}
