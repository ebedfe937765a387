package inline_test

import (
	"fmt"

	"autobuild/plan/markdown/inline"
)

func ExamplePlain() {
	fmt.Println(inline.Plain("**Build** the [parser](docs/parser.md) in `parse.go`"))
	// Output: Build the parser in parse.go
}
