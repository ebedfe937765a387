package receipts_test

import (
	"fmt"

	"autobuild/plan"
	"autobuild/plan/markdown/dialect"
	"autobuild/plan/markdown/receipts"
)

func ExampleAccount() {
	r, problem := dialect.Read([]byte("## Phase 1: Read\n\n- [ ] parse\n\n## Phase 2: Write\n"), "")
	if problem != nil {
		fmt.Println(problem)
		return
	}
	p, err := plan.New(plan.Draft{Phases: []plan.DraftPhase{r.Units[0].DraftPhase, r.Units[1].DraftPhase}})
	if err != nil {
		fmt.Println(err)
		return
	}
	receipts.Account(r, p)
	for _, receipt := range p.Receipts {
		fmt.Println(receipt.Line, receipt.As)
	}
	// Output:
	// 1 phase 1
	// 3 task of 1
	// 5 phase 2
}
