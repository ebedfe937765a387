package section_test

import (
	"fmt"

	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/section"
)

func ExampleUnit_Fill() {
	d, problem := document.Read([]byte("## Phase 1: Read\n\n- [x] open the file\n- [ ] parse it\n\n**Gates:** `go test ./...`\n"))
	if problem != nil {
		fmt.Println(problem)
		return
	}
	u := section.Unit{From: 1, To: 7}
	u.Fill(d)
	for _, task := range u.Tasks {
		fmt.Println(task.Text, task.Done)
	}
	fmt.Println(u.Gates[0].Command)
	// Output:
	// open the file true
	// parse it false
	// go test ./...
}
