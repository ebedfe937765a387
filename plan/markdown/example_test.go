package markdown_test

import (
	"fmt"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown"
)

const example = `# Greeting

| Phase | Name | Depends On | Status |
|-------|------|------------|--------|
| 1 | Text | none | ⬜ |
| 2 | Program | 1 | ⬜ |

## Phase 1: Text

- [ ] write it
`

func ExampleParse() {
	p, err := markdown.Parse("greeting.md", []byte(example), markdown.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, phase := range p.Phases() {
		fmt.Println(phase.Title(), phase.DependsOn, phase.Status)
	}
	// Output:
	// Phase 1: Text [] todo
	// Phase 2: Program [1] todo
}

func ExampleMark() {
	p, err := markdown.Parse("greeting.md", []byte(example), markdown.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	marked, err := markdown.Mark([]byte(example), p, "1", plan.StatusDone)
	for line := range strings.Lines(string(marked)) {
		if strings.Contains(line, "✅") || strings.Contains(line, "[x]") {
			fmt.Print(line)
		}
	}
	fmt.Println(err)
	// Output:
	// | 1 | Text | none | ✅ |
	// - [x] write it
	// <nil>
}
