package render

import (
	"fmt"
	"strings"

	"autobuild/failure"
	"autobuild/state"
)

// Explain tells what is recorded of one phase: how it stands, and for every failed attempt what happened, on what
// evidence, what was decided and why, and what a person can do.
func Explain(p *state.Phase, s Style) string {
	var b strings.Builder
	line := func(indent int, text string) {
		pad := strings.Repeat(" ", indent)
		for _, row := range wrap(s.show(text, 2000), max(s.width()-indent, 20)) {
			b.WriteString(pad + row + "\n")
		}
	}
	line(0, heading(p))
	status := fmt.Sprintf("%s, %d of %d attempts", p.Status, len(p.Attempts), max(p.MaxAttempts, len(p.Attempts)))
	switch {
	case p.BlockedBy != "":
		status += ", blocked by phase " + p.BlockedBy
	case p.Reason != "" && p.Status == state.Pending:
		status += ": " + p.Reason
	}
	line(0, status)
	failed := false
	for _, a := range p.Attempts {
		if a.Failure != nil {
			failed = true
			explainFailure(a, line)
		}
		for _, w := range a.Warnings {
			line(2, "note: "+w)
		}
	}
	if !failed {
		line(0, "Nothing has failed.")
	}
	return screen(b.String())
}

func explainFailure(a state.Attempt, line func(int, string)) {
	f := a.Failure
	line(0, "")
	line(0, fmt.Sprintf("Attempt %d: %s", a.N, f.Type))
	line(2, f.Message)
	if f.Cause != "" {
		line(2, "cause: "+string(f.Cause))
	}
	line(0, "Evidence")
	for _, e := range explainEvidence(a, f) {
		line(2, e)
	}
	if f.Details != "" {
		for row := range strings.Lines(f.Details) {
			line(4, strings.TrimRight(row, "\n"))
		}
	}
	if d := a.Decision; d != nil {
		line(0, "Decision")
		line(2, fmt.Sprintf("%s: %s", d.Action, d.Rationale))
	}
	if len(f.Actions) > 0 {
		line(0, "What to do")
		for _, act := range f.Actions {
			line(2, "- "+act)
		}
	}
}

// explainEvidence lists what the diagnosis rests on, most telling first.
func explainEvidence(a state.Attempt, f *failure.Diagnosis) []string {
	var out []string
	if f.Command != "" {
		out = append(out, fmt.Sprintf("gate %s ran %q", f.Gate, f.Command))
	}
	for _, t := range f.Tests {
		out = append(out, "failing: "+located(t.Name, place(t.File, t.Line)))
	}
	for _, q := range f.Places {
		out = append(out, strings.TrimSpace(place(q.File, q.Line)+" "+q.Message+" "+q.Rule))
	}
	for i := range f.Claimed {
		out = append(out, "claimed: "+f.Claimed[i])
	}
	for i := range f.Found {
		out = append(out, "found: "+f.Found[i])
	}
	for _, g := range a.Gates {
		out = append(out, fmt.Sprintf("gate %s %s, log %s", g.Name, g.Status, g.Log))
	}
	if a.Log != "" {
		out = append(out, "the agent's own words: "+a.Log)
	}
	return out
}
