package state_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autobuild/failure"
	"autobuild/state"
)

// TestBounded: the stored data of an attempt stays small however large the attempt is, and counts
// what it omits.
func TestBounded(t *testing.T) {
	var paths []string
	for i := range 120_000 {
		paths = append(paths, fmt.Sprintf("%06d/%s", i, strings.Repeat("é", 100+i%2000)))
	}
	referee := make([]state.RefereeChange, 5000)
	for i := range referee {
		referee[i] = state.RefereeChange{Ruling: state.RulingRecorded, File: paths[i], What: paths[i]}
	}
	referee[4999].Ruling = state.RulingContested
	gates := map[string]bool{}
	for _, p := range paths[:5000] {
		gates[p] = true
	}
	full := state.Attempt{
		N: 1, Changes: state.Changes{Created: paths, Modified: paths, Deleted: paths, Standing: paths}, Warnings: paths, Referee: referee,
		Report: &state.Report{Created: paths, Modified: paths, Deleted: paths, Gates: gates, RefereeChanges: make([]state.ClaimedChange, 5000)},
		Gates:  []state.Gate{{Tests: make([]failure.Test, 5000), Places: make([]failure.Place, 5000)}},
		Commit: &state.Commit{SHA: "x", Overlap: paths},
	}
	got := full.Bounded()
	data, err := json.Marshal(got)
	if err != nil || len(data) > 1<<20 {
		t.Errorf("%d bytes are stored, %v", len(data), err)
	}
	if n := got.Changes.Len(); n != 3*120_000 {
		t.Errorf("it has changed %d paths", n)
	}
	if !slices.ContainsFunc(got.Referee, func(r state.RefereeChange) bool { return r.Ruling == state.RulingContested }) {
		t.Error("a change that a person is to look at is left out")
	}
	if !strings.Contains(strings.Join(got.Warnings, "\n"), "left out here: 4700 × change of tests and gates; the commit has all") {
		t.Errorf("what was left out is not said: %q", got.Warnings[:3])
	}
	if len(full.Changes.Created) != 120_000 || len(full.Report.Gates) != 5000 || full.Referee[0].File != paths[0] || full.Warnings[1999] != paths[1999] {
		t.Error("the attempt itself has changed")
	}
	if again := got.Bounded(); !cmp.Equal(got, again) {
		t.Error("what is bounded changes once more")
	}
	small := state.Attempt{N: 1, Changes: state.Changes{Created: paths[:3]}, Warnings: paths[:2]}
	if diff := cmp.Diff(small, small.Bounded()); diff != "" {
		t.Errorf("what is small changes: %s", diff)
	}
}
