package place_test

import (
	"fmt"

	"autobuild/orchestrator/session/place"
	"autobuild/state/store"
)

// A state directory that does not exist yet has lost no file.
func ExampleKeepState() {
	files := place.KeepState(&store.Dir{}, "no-such-directory")
	fmt.Println(len(files.Damaged()))
	// Output: 0
}
