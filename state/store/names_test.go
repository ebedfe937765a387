package store

import (
	"path"
	"strings"
	"testing"

	"autobuild/state"
)

// Every id becomes a file directly in phases/ or is refused, for all spellings of ids that a plan
// accepts.
func TestNoPathFromAnID(t *testing.T) {
	for _, id := range []string{
		"", ".", "..", "../1", "../../config", "/etc/passwd", "a/b", `a\b`, "a:b", "a\x00b", "a\nb", ".hidden", "1.", "-é", "%s%n/", "$(x)", "`x`", "a b",
		strings.Repeat("a", 201),
	} {
		if _, err := encodePhase(&state.Phase{ID: id, Status: state.Pending, MaxAttempts: 2}, state.Worktree); err == nil || !strings.Contains(err.Error(), "its id is no file name") {
			t.Errorf("the phase %q would be saved: %v", id, err)
		}
		if got, ok := phaseID(phaseName(id)); ok {
			t.Errorf("the file %q is taken for that of phase %q", phaseName(id), got)
		}
	}
	for _, id := range []string{"1", "2a", "1.1", "01-01", "task-fb-001", "A_b", strings.Repeat("a", 200)} {
		if got, ok := phaseID(phaseName(id)); !ok || got != id || path.Dir(PhasePath(id)) != PhasesDir {
			t.Errorf("%q is saved in %s, which is the file of %q", id, PhasePath(id), got)
		}
	}
}
