package document_test

import (
	"fmt"

	"autobuild/plan/markdown/document"
)

func ExampleRead() {
	d, problem := document.Read([]byte("# Plan\n\n## Phase 1: Read\n\n- [ ] parse\n"))
	if problem != nil {
		fmt.Println(problem)
		return
	}
	for _, h := range d.Headings {
		fmt.Println(h.Line, h.Level, h.Text)
	}
	fmt.Printf("%d %q\n", d.Items[0].Line, d.Items[0].Box)
	// Output:
	// 1 1 Plan
	// 3 2 Phase 1: Read
	// 5 ' '
}
