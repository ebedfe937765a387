package tamper

import (
	"path/filepath"
	"testing"
	"time"

	"autobuild/state"
	"autobuild/state/store"
)

// A process that follows a stored run from its middle takes the state files that are there for its
// own, and none for a change of an agent.
func TestJoinedState(t *testing.T) {
	root := filepath.Join(t.TempDir(), ".autobuild")
	dir, err := store.Open(root, "", store.Holder{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close() //nolint:errcheck // of a test
	run := &state.Run{}
	tell := func(k *StateFiles, e state.Event) {
		t.Helper()
		e.Time, e.Seq = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), run.Seq+1
		if failed := run.Apply(e); failed != nil {
			t.Fatal(failed)
		}
		if failed := k.Event(e, run); failed != nil {
			t.Fatal(failed)
		}
	}
	tell(KeepState(dir, root), state.Event{
		Type: state.RunStarted, Config: &state.Config{RunID: "r1"},
		Phases: []state.Seed{{ID: "1", Label: "1", MaxAttempts: 2}},
	})
	joined := KeepState(dir, root)
	tell(joined, state.Event{Type: state.PhaseSkipped, Phase: "1"})
	tell(joined, state.Event{Type: state.RunFinished, End: &state.End{Outcome: state.Done}})
	if found, failed := joined.tampered(); len(found) > 0 || failed != nil {
		t.Errorf("found %v, %v", found, failed)
	}
	if _, _, err = store.Load(root, nil); err != nil {
		t.Error(err)
	}
}
