package forge_test

import (
	"fmt"

	"autobuild/internal/forge"
)

func ExampleAt() {
	f, ok := forge.At("git@github.com:owner/name.git", nil)
	fmt.Println(f.Program, f.Repo, ok)
	// Output: gh github.com/owner/name true
}
