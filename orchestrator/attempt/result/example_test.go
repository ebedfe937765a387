package result_test

import (
	"fmt"

	"autobuild/orchestrator/attempt/result"
)

// A block with the nonce of another attempt is text.
func ExampleParse() {
	block := "Done.\n```json\n{\"nonce\": \"n1\", \"phase_id\": \"2a\", \"status\": \"complete\"}\n```\n"
	report, err := result.Parse(block, "2a", "n1")
	fmt.Println(report.Complete, err)
	_, err = result.Parse(block, "2a", "n2")
	fmt.Println(err)
	// Output:
	// true <nil>
	// the result block carries another attempt's nonce
}
