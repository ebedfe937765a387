package classify_test

import (
	"fmt"

	"autobuild/cmd/classify"
)

func ExampleJSON() {
	_, d, err := classify.JSON([]byte(`{"tool": "npm test", "exit_code": 1, "stderr_tail": "TypeError: x is not a function"}`))
	fmt.Println(d.Type, err)
	_, _, err = classify.JSON([]byte(`{"exit_cod": 1}`))
	fmt.Println(err)
	// Output:
	// test_failure <nil>
	// unknown member "exit_cod": did you mean "exit_code"?; see autobuild classify --help
}
