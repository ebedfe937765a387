package reading_test

import (
	"fmt"

	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/reading"
)

func ExampleReading_Finish() {
	d, problem := document.Read([]byte("## Phase 1: Read\n\n## Phase 2: Write\n\n**Depends on:** Phase 1\n"))
	if problem != nil {
		fmt.Println(problem)
		return
	}
	r := reading.Reading{Doc: d}
	r.AddHeadings(func(h *document.Heading) bool { return h.Title.Kind == "phase" })
	r.Finish()
	for _, u := range r.Units {
		fmt.Print(u.Label, " ", u.Name, ":")
		for _, ref := range u.Needs {
			fmt.Print(" ", ref.Text, " at ", ref.Pos.Line, ":", ref.Pos.Col)
		}
		fmt.Println()
	}
	// Output:
	// 1 Read:
	// 2 Write: Phase 1 at 5:17
}
