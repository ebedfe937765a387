package text_test

import (
	"fmt"

	"autobuild/internal/text"
)

// Text from outside becomes a row that shows itself and nothing else.
func ExampleClean() {
	fmt.Println(text.Clean("\x1b[31m3 tests\n\tfailing\x1b[0m in a very long line", 24))
	// Output: 3 tests failing in a ve…
}
