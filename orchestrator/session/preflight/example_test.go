package preflight_test

import (
	"errors"
	"fmt"
	"strings"

	"autobuild/orchestrator/session/preflight"
)

func ExampleFiles() {
	fmt.Println(preflight.Files(1, "autobuild plan.md"))
	err := preflight.Files(1<<40, "autobuild plan.md")
	_, limited := errors.AsType[*preflight.Error](err)
	fmt.Println(err == nil || limited && strings.HasSuffix(err.Error(), "then: autobuild plan.md"))
	// Output:
	// <nil>
	// true
}
