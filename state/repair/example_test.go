package repair_test

import (
	"fmt"

	"autobuild/state"
	"autobuild/state/repair"
	"autobuild/state/store"
)

// A phase says complete, and git has no such commit.
func ExampleExamine() {
	files := &store.Files{Config: state.Config{RunID: "r1", Isolation: state.Worktree}}
	commit := &state.Commit{SHA: "c0ffee"}
	files.Phases = []store.PhaseFile{{
		Position: store.Position{Path: "phases/phase-1.json", Line: 6},
		Phase:    state.Phase{ID: "1", Label: "1", Status: state.Complete, Commit: commit, Attempts: []state.Attempt{{N: 1, Commit: commit}}},
	}}
	noDiary := repair.ReadDiary(store.DiaryLines("nowhere"))
	report := repair.Examine(files, noDiary, repair.Evidence{Git: true})
	for _, f := range report.Findings {
		fmt.Printf("%s:%d: %s\n%s: %s\n", f.Path, f.Line, f.Cause, f.Do, f.Why)
	}
	// Output:
	// phases/phase-1.json:6: says complete, but its commit c0ffee is not part of the work
	// again: complete is what has landed
}
