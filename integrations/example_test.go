package integrations_test

import (
	"fmt"

	"autobuild/integrations"
)

// The command of an agent is a file or two, in the place where that agent looks.
func ExampleFiles() {
	for _, account := range []bool{false, true} {
		files, _ := integrations.Files("opencode", account)
		fmt.Println(files[0].Path)
	}
	fmt.Println(integrations.Call("opencode"))
	// Output:
	// .opencode/commands/autobuild.md
	// .config/opencode/commands/autobuild.md
	// /autobuild plan.md
}
