package referee_test

import (
	"fmt"

	"autobuild/orchestrator/verify/referee"
	"autobuild/state"
)

// tests has every file for a test.
type tests struct{}

func (tests) Class(string) referee.Class { return referee.Test }
func (tests) Program(string) bool        { return false }

func ExampleRule() {
	edits := []referee.Edit{{
		Path: "round_test.go", OldMode: "100644", NewMode: "100644",
		Old: "package a\n\nfunc TestRound(t *testing.T) {\n\tif Round(2.5) != 3 {\n\t\tt.Error()\n\t}\n}\n",
		New: "package a\n\nfunc TestRound(t *testing.T) {\n\tif Round(2.5) != 2 {\n\t\tt.Error()\n\t}\n}\n",
	}}
	changes := []state.RefereeChange{{Cause: state.CauseValue, File: "round_test.go", Line: 3, Test: "TestRound"}}
	for _, section := range []string{"Let Round round half to even.", "Clean up the tests in round_test.go."} {
		fmt.Println(referee.Rule(tests{}, changes, edits, referee.Section{Text: section}, nil, referee.Contest)[0].Ruling)
	}
	// Output:
	// asked_for
	// refused
}
