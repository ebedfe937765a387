package term

import (
	"strconv"
	"strings"
	"testing"

	"autobuild/failure"
	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/render/rendertest"
	"autobuild/state"
)

// The status of a large run fits the screen at every width, has what failed or runs first, and says
// how to see the rest.
func TestLargeStatus(t *testing.T) {
	run := &state.Run{Config: state.Config{RunID: "r1", Plan: "plan.md"}}
	for i := range 5000 {
		id := strconv.Itoa(i + 1)
		p := state.Phase{ID: id, Label: id, Name: "做 part " + id, Status: state.Pending}
		switch {
		case i == 2999:
			p.Status = state.Failed
			p.Attempts = []state.Attempt{{N: 1, Failure: &failure.Diagnosis{Type: failure.TestFailure, Message: strings.Repeat("it leaks ", 40)}}}
		case i < 3000:
			p.Status, p.Attempts = state.Complete, []state.Attempt{{N: 1, Verdict: state.Verified}}
		case i == 3001:
			p.Status, p.Attempts = state.Running, []state.Attempt{{N: 1, Started: rendertest.Midnight}}
		}
		run.Phases = append(run.Phases, p)
	}
	for _, width := range []int{40, 80, 120} {
		for _, height := range []int{24, 40} {
			s := render.Style{Width: width}
			got := Status(run, render.Ending{}, true, rendertest.Midnight, s, height)
			rendertest.Has(t, got, "3000", "3002", " more: autobuild status --all")
			if lines := strings.Count(got, "\n"); lines > height {
				t.Errorf("%d lines at height %d:\n%s", lines, height, got)
			}
			for line := range strings.Lines(got) {
				if text.Width(strings.TrimSuffix(line, "\n")) > width {
					t.Errorf("wider than %d: %q", width, line)
				}
			}
		}
	}
	if all := Status(run, render.Ending{}, true, rendertest.Midnight, render.Style{Width: 80}, 0); strings.Count(all, "\n") < 5000 {
		t.Error("without a limit phases are missing")
	}
}
