package resume_test

import (
	"fmt"

	"autobuild/orchestrator/session/resume"
	"autobuild/orchestrator/session/spec"
	"autobuild/plan/markdown"
)

// A new run leaves out what the plan marks as done.
func ExampleSelect() {
	text := "## Phase 1: Walls ✅\n\n- [x] build them\n\n## Phase 2: Roof\n\n- [ ] build it\n"
	p, err := markdown.Parse("plan.md", []byte(text), markdown.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	marked := resume.Marks(p, spec.RunSpec{}, nil)
	s, err := resume.Select(p, spec.Part{}, marked, func(string) bool { return false })
	fmt.Println(s.Skip["1"], err)
	// Output: the plan marks it as done; --only or --fresh runs it <nil>
}
