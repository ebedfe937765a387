package ci_test

import (
	"fmt"

	"autobuild/plan"
	"autobuild/render/ci"
)

// The mistakes of a plan are marked at their lines.
func ExampleProblemMarks() {
	fmt.Print(ci.ProblemMarks("plan.md", plan.Problems{{
		Code: "E-UNKNOWN", Severity: plan.Error, Pos: plan.Pos{Line: 7, Col: 16}, Message: "unknown phase 2D", Hint: "did you mean 2A?",
	}}, ci.GitHub))
	// Output: ::error file=plan.md,line=7,col=16,title=autobuild plan%3A E-UNKNOWN::unknown phase 2D%0Adid you mean 2A?
}
