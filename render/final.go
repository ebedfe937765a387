package render

import (
	"strings"

	"autobuild/internal/text"
	"autobuild/state"
)

// FinalGateSteps say what a person does about final gates that did not pass.
func (d Overview) FinalGateSteps(step func(string)) {
	unmet := d.End().Unmet()
	for _, g := range unmet[:min(len(unmet), 3)] {
		first, _, _ := strings.Cut(g.Command, "\n")
		step("Make final gate " + g.Name + " pass (" + text.Clean(first, 120) +
			") and commit the fix to your branch")
	}
	if len(unmet) > 0 {
		step("Resume: no phase is done again, and the final gates run once more")
	}
}

// Unproven reports whether the work of some phase was verified by no gate.
func (d Overview) Unproven() bool {
	end := d.End()
	end.Totals = d.Totals
	return end.Unproven()
}

// FinalGateLines are the final gates in words, a line each.
func FinalGateLines(gates []state.Gate) []string {
	lines := make([]string, len(gates))
	for i, g := range gates {
		word, _ := GateWord(g)
		lines[i] = g.Name + " " + strings.ToLower(word)
		if g.Reused != "" {
			lines[i] += ", " + Reused(g)
		}
	}
	return lines
}
