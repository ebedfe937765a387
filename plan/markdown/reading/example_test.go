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
		fmt.Println(u.Label, u.Name, u.Needs)
	}
	// Output:
	// 1 Read []
	// 2 Write [{Phase 1 {5 17}}]
}
