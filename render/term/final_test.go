package term

import (
	"strings"
	"testing"

	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/state"
)

// Final gates are a part of the box, of a status and of the steps that lead on; hostile names and
// output break no edge.
func TestFinalGates(t *testing.T) {
	run := &state.Run{Config: state.Config{RunID: "r1", Plan: "plan.md"}, Phases: []state.Phase{{ID: "1", Label: "1", Status: state.Complete}}}
	run.End = &state.End{Outcome: state.Halted, Reason: "all phases are complete, and final gate e2e failed", Final: []state.Gate{
		{Name: "lint", Status: state.GatePassed, Command: "make lint"},
		{
			Name: "e2e \x1b[31m", Status: state.GateFailed, Command: "make e2e " + strings.Repeat("x", 300), Exit: 2, Log: "logs/final.e2e.log",
			Tail: "noise\nError: page 漢字 not found\x1b[2J\n",
		},
	}}
	s := render.Style{Width: 80}
	box := Summary(run, render.Ending{Program: []string{"autobuild"}, Dir: ".autobuild", Resume: []string{"autobuild", "plan.md", "--resume"}}, s)
	for _, want := range []string{"FINAL GATES", "lint ...", "passed", "FAILED", "Exit code: 2", "not found", "final.e2e.log", "Make final gate e2e"} {
		if !strings.Contains(box, want) {
			t.Errorf("no %q in\n%s", want, box)
		}
	}
	if strings.Contains(box, "\x1b[31m") || strings.Contains(box, "\x1b[2J") {
		t.Error("a control sequence reaches the terminal")
	}
	for line := range strings.Lines(box) {
		if strings.HasPrefix(line, "║") && (!strings.HasSuffix(strings.TrimRight(line, "\n"), "║") || text.Width(strings.TrimRight(line, "\n")) != 80) {
			t.Errorf("an edge that does not line up: %q", line)
		}
	}
}
