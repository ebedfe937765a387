package wire_test

import (
	"testing"

	"autobuild/state"

	"autobuild/temporal/wire"
)

// Statuses reads what Letters writes, and refuses everything else.
func FuzzStatuses(f *testing.F) {
	f.Add("c12r1p3")
	f.Add("p99999999999999999999")
	f.Add("x1")
	f.Fuzz(func(t *testing.T, text string) {
		statuses, err := wire.Statuses(text, 1000)
		if err != nil {
			return
		}
		var run state.Run
		for _, s := range statuses {
			run.Phases = append(run.Phases, state.Phase{Status: s})
		}
		again, err := wire.Statuses(wire.Letters(&run), 1000)
		if err != nil || len(again) != len(statuses) {
			t.Fatalf("%q: %v, %v", text, again, err)
		}
	})
}
