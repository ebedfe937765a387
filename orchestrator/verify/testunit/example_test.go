package testunit_test

import (
	"fmt"

	"autobuild/orchestrator/verify/testunit"
)

func ExampleUnits() {
	for _, u := range testunit.Units("sum_test.py", "def test_sum():\n    assert sum([1, 2]) == 3\n") {
		fmt.Println(u.Name, u.Asserts, u.Values)
	}
	// Output: test_sum [assert sum([1, 2]) == 3] [3 == assert]
}
