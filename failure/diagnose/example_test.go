package diagnose_test

import (
	"fmt"

	"autobuild/failure"
	"autobuild/failure/diagnose"
)

// The agent reports success, and a gate fails.
func Example() {
	d := diagnose.From(failure.Evidence{
		Agent: &failure.AgentRun{Name: "claude"},
		Claim: &failure.Claim{Complete: true},
		Gates: []failure.GateRun{{Name: "test", Kind: "test", Command: "npm test", Exit: 1, Count: 1, Tests: []failure.Test{
			{Name: "refresh", File: "auth.test.ts", Line: 30, Message: "expected 200, received 401"},
		}}},
	})
	fmt.Println(d.Type, d.Cause, d.Category, d.Class.Class, d.Retryable)
	fmt.Println(d.Message)
	fmt.Println(d.Actions[0])
	// Output:
	// verification_mismatch test_failure execution F2 true
	// claimed complete, but 1 test failing in auth.test.ts
	// Fix the failing tests in auth.test.ts
}
