package output_test

import (
	"fmt"
	"strings"

	"autobuild/orchestrator/verify/output"
	"autobuild/state"
)

func ExampleRead() {
	text := "--- FAIL: TestTax (0.00s)\n    tax_test.go:12: got 94, want 95\nFAIL\nFAIL\tshop\t0.1s\n"
	gate := state.Gate{Name: "test", Kind: state.KindTest, Status: state.GateFailed, Exit: 1}
	place := output.Paths{Dir: "/home/dev/shop"}
	output.Read(place, strings.NewReader(text), text, &gate, output.NewNames(place))
	fmt.Println(gate.Failed, gate.Tests[0].Name, gate.Tests[0].Line)
	// Output: 1 TestTax 12
}
