package workspace_test

import (
	"fmt"

	"autobuild/orchestrator/session/workspace"
	"autobuild/plan/markdown"
)

func ExampleMarks() {
	src := []byte("# Demo\n\n| Phase | Name | Status |\n|---|---|---|\n| 1 | First | |\n\n## Phase 1: First\n\nDo it.\n")
	p, marker, err := markdown.ParseMarked("plan.md", src, markdown.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	marked, err := workspace.NewMarks(p, marker).Phase("1")(src)
	fmt.Println(len(marked) > len(src), err)
	// Output: true <nil>
}
