package rewrite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/cmd/rewrite"
	"autobuild/orchestrator/agent"
)

// writer is an agent that writes a plan.
type writer struct {
	text string // empty: it writes none
	err  error
}

func (writer) Name() string { return "writer" }

func (w writer) Run(_ context.Context, job agent.Job) (agent.Outcome, error) {
	if w.err != nil || w.text == "" {
		return agent.Outcome{}, w.err
	}
	if _, err := os.ReadFile(filepath.Join(job.Dir, "source.md")); err != nil {
		return agent.Outcome{}, err
	}
	return agent.Outcome{}, os.WriteFile(filepath.Join(job.Dir, "plan.md"), []byte(w.text), 0o600)
}

const (
	source = "# Shop\n\nFirst the ground:\n\n- [ ] dig\n"
	good   = "# Shop\n\n| Phase | Name | Depends On |\n|---|---|---|\n| 1 | Ground | none |\n\n## Phase 1: Ground\n\nFirst the ground:\n\n- [ ] dig\n"
)

func Example() {
	r, err := rewrite.Plan(context.Background(), rewrite.Job{Agent: writer{text: good}, Source: []byte(source)})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Plan.Len(), "phase,", len(r.Differences), "differences")
	// Output: 1 phase, 0 differences
}

// TestPlan: an agent's text counts only where it is a plan and holds all that the source does.
func TestPlan(t *testing.T) {
	for name, tt := range map[string]struct {
		text        string
		plan        bool
		differences int
	}{
		"complete":         {good, true, 0},
		"a box too few":    {strings.Replace(good, "- [ ] dig\n", "dig\n", 1), true, 1},
		"no plan":          {"I could not do it.\n", false, 0},
		"nothing":          {"", false, 0},
		"another box":      {good + "- [ ] sell\n", true, 1},
		"two of the boxes": {good + "- [ ] dig\n", true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := rewrite.Plan(t.Context(), rewrite.Job{Agent: writer{text: tt.text}, Source: []byte(source)})
			if err != nil {
				t.Fatal(err)
			}
			if (r.Plan != nil) != tt.plan || len(r.Differences) != tt.differences || (r.Refused != nil) != (tt.text != "" && !tt.plan) {
				t.Errorf("plan %t, %d differences, refused %v", r.Plan != nil, len(r.Differences), r.Refused)
			}
		})
	}
}
