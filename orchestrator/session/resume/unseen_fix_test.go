package resume

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"autobuild/failure"
	"autobuild/internal/call"
	"autobuild/orchestrator"
	"autobuild/orchestrator/session/spec"
	"autobuild/plan"
	"autobuild/state"
)

// A resume is refused where a file that the failure names was changed since and is not committed,
// tracked or not; another file, an older one and --allow-dirty do not hold it up.
func TestUnseenFix(t *testing.T) {
	root := t.TempDir()
	failed := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, age := range map[string]time.Duration{"rates/table.csv": time.Hour, "notes.txt": time.Hour, "rates/old.csv": -time.Hour} {
		path := filepath.Join(root, filepath.FromSlash(name))
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600), os.Chtimes(path, failed.Add(age), failed.Add(age)))
		if err != nil {
			t.Fatal(err)
		}
	}
	p, err := plan.New(plan.Draft{Phases: []plan.DraftPhase{{Phase: plan.Phase{Label: "1", Name: "Rates"}}}})
	if err != nil {
		t.Fatal(err)
	}
	last := state.Attempt{
		Ended: failed, Failure: &failure.Diagnosis{Type: failure.TestFailure, Message: "gate test failed"},
		Gates: []state.Gate{{Name: "test", Status: state.GateFailed, Tail: "open table.csv: no such file; rates/old.csv is old"}},
	}
	run := &state.Run{Phases: []state.Phase{{ID: "1", Status: state.Failed, Attempts: []state.Attempt{last}}}}
	decisions := []orchestrator.Decision{{Phase: "1", Label: "1", Verb: orchestrator.Again}}
	for name, c := range map[string]struct {
		dirty   []string
		allowed bool
		refused bool
	}{
		"the file that is named": {dirty: []string{"notes.txt", "rates/table.csv"}, refused: true},
		"it, and allowed":        {dirty: []string{"rates/table.csv"}, allowed: true},
		"a file that is gone":    {dirty: []string{"old/table.csv"}, refused: true},
		"another file":           {dirty: []string{"notes.txt"}},
		"an older file":          {dirty: []string{"rates/old.csv"}},
		"none":                   {},
	} {
		r := Request{Project: &call.Project{Root: root}, Plan: p, Spec: spec.RunSpec{Resume: spec.Resume{AllowDirty: c.allowed}}}
		err := r.unseenFix(run, decisions, c.dirty, []string{"autobuild", "plan.md", "--resume"})
		if _, refused := errors.AsType[*unseenFixError](err); refused != c.refused {
			t.Errorf("%s: %v, refused want %t", name, err, c.refused)
		}
	}
}
