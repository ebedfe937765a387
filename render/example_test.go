package render_test

import (
	"fmt"

	"autobuild/render"
)

// The commands below a summary work when they are pasted.
func ExampleCommand() {
	fmt.Println(render.Command([]string{"autobuild", "my plan.md", "--commit=auto", "--resume"}))
	// Output: autobuild 'my plan.md' --commit=auto --resume
}
