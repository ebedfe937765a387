package sign_test

import (
	"fmt"

	"autobuild/failure"
	"autobuild/failure/sign"
)

// A command did not find a file.
func Example() {
	missing := func(s sign.Sign) bool { return s.Category == failure.Prerequisite }
	found, _ := sign.Find(sign.Output, "cat: docs/api.md: No such file or directory", missing)
	fmt.Println(found.Name, found.Words, found.Passes)
	fmt.Println(found.Advice.About(found.Words).Action)
	// Output:
	// missing-file docs/api.md false
	// Create docs/api.md, or correct its path where it is named
}
