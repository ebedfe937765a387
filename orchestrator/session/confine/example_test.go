package confine_test

import (
	"fmt"

	"autobuild/internal/environ"
	"autobuild/orchestrator/session/confine"
)

func ExampleBox_Prepare() {
	b := confine.Box{Root: "/project", Environ: environ.Environ{"PATH="}, Write: []string{"x"}}
	fmt.Println(b.Prepare())
	// Output:
	// sandbox.write names x, which does not exist; make it, or take it out of autobuild.yaml
}
