package sink

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autobuild/orchestrator/session/workspace"
	"autobuild/plan/markdown"
	"autobuild/state"
)

// A session marks what the last one has recorded as complete and had no time to mark, where the
// work does not hold the plan, and removes what it left beside it.
func TestMarkAfterCrash(t *testing.T) {
	const text = "# P\n\n## Phase 1: Base\n\n- [ ] work\n\n## Phase 2A: Left\n\n- [ ] work\n\n## Phase 3: Join\n\n- [ ] work\n"
	parsed, err := markdown.Parse("plan.md", []byte(text), markdown.Options{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "plan.md")
	for _, marked := range []bool{true, false} {
		temp := filepath.Join(filepath.Dir(path), ".atomicfile-LEFTBEHIND.tmp")
		if err = errors.Join(os.WriteFile(path, []byte(text), 0o600), os.WriteFile(temp, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		finished := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		r := &state.Run{Phases: []state.Phase{
			{ID: "2a", Status: state.Complete, Finished: finished.Add(time.Hour), Commit: &state.Commit{PlanMarked: marked}},
			{ID: "1", Status: state.Complete, Finished: finished},
			{ID: "3", Status: state.Failed, Finished: finished.Add(2 * time.Hour)},
		}}
		m := PlanMarker{Path: path, Root: filepath.Dir(path), Marks: workspace.Marks{Plan: parsed}, Note: t.Errorf}
		if err = m.Event(state.Event{Type: state.RunStarted}, r); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(temp); !os.IsNotExist(err) {
			t.Errorf("%s is left behind: %v", temp, err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, section, _ := strings.Cut(string(text), "## Phase 2A"); strings.Count(string(text), "[x]") != map[bool]int{false: 1}[marked] ||
			!marked && !strings.HasPrefix(section, ": Left\n\n- [x]") {
			t.Errorf("marked before: %t, and now the plan says\n%s", marked, text)
		}
	}
}
