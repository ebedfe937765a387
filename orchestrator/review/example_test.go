package review_test

import (
	"fmt"

	"autobuild/orchestrator/review"
	"autobuild/orchestrator/verify/referee"
	"autobuild/plan"
	"autobuild/state"
)

// A finding that quotes an example of the plan is confirmed by the call itself; one that quotes
// nothing is a note.
func ExampleCase_Experiments() {
	c := review.Case{
		Phase: plan.Phase{ID: "1", Text: "## Phase 1: Add\n\n- `sh add.sh 2 3` prints `5`\n"},
		Edits: []referee.Edit{{Path: "add.sh", NewMode: "100644", New: "echo 6\n"}},
	}
	for _, f := range []state.Finding{
		{File: "add.sh", Claim: "it adds wrongly", Criterion: "`sh add.sh 2 3` prints `5`", Call: "sh add.sh 2 3"},
		{File: "add.sh", Claim: "it is ugly"},
	} {
		all, why := c.Experiments(f)
		fmt.Printf("%s: %d (%s)\n", f.Claim, len(all), why)
	}
	// Output:
	// it adds wrongly: 1 ()
	// it is ugly: 0 (it has no witness and quotes nothing that can be checked)
}
