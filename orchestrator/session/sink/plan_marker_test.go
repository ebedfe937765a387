package sink

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"autobuild/orchestrator/session/spec"
	"autobuild/orchestrator/session/workspace"
	"autobuild/plan/markdown"
	"autobuild/state"
)

// A session marks what the last one has recorded as complete and had no time to mark, where the
// work does not hold the plan, and removes what it left beside it.
func TestMarkAfterCrash(t *testing.T) {
	const text = "# P\n\n## Phase 1: Base\n\n- [ ] work\n\n## Phase 2A: Left\n\n- [ ] work\n\n## Phase 3: Join\n\n- [ ] work\n"
	parsed, marker, err := markdown.ParseMarked("plan.md", []byte(text), markdown.Options{})
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
		m := PlanMarker{
			Spec: spec.Plan{Path: path}, Root: filepath.Dir(path),
			Marks: workspace.NewMarks(parsed, marker), Note: t.Errorf,
		}
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
		want := 2
		if marked {
			want = 1
		}
		if _, section, _ := strings.Cut(string(text), "## Phase 2A"); strings.Count(string(text), "[x]") != want ||
			strings.HasPrefix(section, ": Left\n\n- [x]") == marked {
			t.Errorf("marked before: %t, and now the plan says\n%s", marked, text)
		}
	}
}

// Ticks of phases that complete one after the other are written together, the last ones at the end,
// and none of these writes counts as a change of the plan.
func TestMarksTogether(t *testing.T) {
	var src strings.Builder
	r := &state.Run{}
	for i := range 50 {
		fmt.Fprintf(&src, "## Phase %d: P\n\n- [ ] work\n\n", i+1)
		r.Phases = append(r.Phases, state.Phase{ID: strconv.Itoa(i + 1)})
	}
	parsed, marker, err := markdown.ParseMarked("plan.md", []byte(src.String()), markdown.Options{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "plan.md")
	if err = os.WriteFile(path, []byte(src.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	m := &PlanMarker{
		Spec: spec.Plan{Path: path}, Root: filepath.Dir(path),
		Marks: workspace.NewMarks(parsed, marker), Note: t.Errorf,
	}
	ticks := func() int {
		t.Helper()
		text, failed := os.ReadFile(path)
		if failed != nil {
			t.Fatal(failed)
		}
		if changed := m.Changed(); changed != "" {
			t.Error(changed)
		}
		return strings.Count(string(text), "[x]")
	}
	now, writes := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), 0
	for i, was := 0, 0; i < 50; i++ {
		r.Phases[i].Status = state.Complete
		now = now.Add(markEvery / 10)
		if err = m.Event(state.Event{Type: state.AttemptFinished, Time: now, Phase: r.Phases[i].ID, Status: state.Complete}, r); err != nil {
			t.Fatal(err)
		}
		if is := ticks(); is != was {
			was, writes = is, writes+1
		}
	}
	if writes != 5 {
		t.Errorf("%d writes for 50 phases in five times markEvery", writes)
	}
	if err = m.Event(state.Event{Type: state.RunFinished, Time: now}, r); err != nil || ticks() != 50 {
		t.Errorf("at the end %d of 50 phases are ticked (%v)", ticks(), err)
	}
	if err = os.WriteFile(path, []byte(strings.Replace(src.String(), "## Phase 7: P", "## Phase 7: Q", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if changed := m.Changed(); !strings.Contains(changed, "the plan was changed at 7") {
		t.Errorf("%q", changed)
	}
}
