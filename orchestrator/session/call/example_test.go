package call_test

import (
	"bytes"
	"fmt"

	"autobuild/orchestrator/session/call"
)

func ExampleCall_Note() {
	var errs bytes.Buffer
	c := &call.Call{Stderr: &errs, Dir: "/project"}
	c.Note("the plan is %s", c.Shown("/project/plan.md"))
	fmt.Print(errs.String())
	// Output: autobuild: the plan is plan.md
}
