package plan_test

import (
	"fmt"

	"autobuild/plan"
)

func Example() {
	phase := func(label, needs string) plan.DraftPhase {
		return plan.DraftPhase{Phase: plan.Phase{Label: label}, Needs: []plan.Ref{{Text: needs}}}
	}
	p, err := plan.New(plan.Draft{Phases: []plan.DraftPhase{
		phase("1", "none"), phase("2A", "Phase 1"), phase("2B", "Phase 1"), phase("3", "2A–2B"),
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, batch := range p.Batches() {
		fmt.Println(plan.Labels(batch))
	}
	// Output:
	// 1
	// 2A, 2B
	// 3
}

func ExampleProblems() {
	_, err := plan.New(plan.Draft{Phases: []plan.DraftPhase{
		{Phase: plan.Phase{Label: "2A"}, Needs: []plan.Ref{{Text: "3"}}},
		{Phase: plan.Phase{Label: "3"}, Needs: []plan.Ref{{Text: "2A, 2D"}}},
	}})
	fmt.Println(err)
	// Output:
	// dependency cycle: 2A → 3 → 2A (remove one of these dependencies)
	// phase 3 depends on unknown phase 2D (did you mean 2A?)
}
