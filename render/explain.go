package render

import (
	"fmt"
	"strings"

	"autobuild/failure"
	"autobuild/state"
)

// Explain tells what is recorded of one phase: how it stands, and for every failed attempt what happened, on what
// evidence, what was decided and why; then what a person can do. Dir is the state directory as a person types it, so that
// the paths of logs can be pasted; empty is ".autobuild".
func Explain(p *state.Phase, dir string, s Style) string {
	x := explanation{style: s, dir: dir}
	x.line(0, "", heading(p))
	x.line(0, "", explainStatus(p))
	first := make(map[string]int) // fingerprint → the attempt that met it first
	var last *failure.Diagnosis
	for _, a := range p.Attempts {
		if f := a.Failure; f != nil {
			x.failure(a, first[f.Fingerprint])
			if f.Fingerprint != "" && first[f.Fingerprint] == 0 {
				first[f.Fingerprint] = a.N
			}
			last = f
		}
		for _, w := range a.Warnings {
			x.line(2, "note: ", w)
		}
	}
	switch {
	case last == nil && interrupted(p, true):
		x.line(0, "", "It was stopped from outside while it ran: it has not failed, and starts again on resume.")
	case last == nil:
		x.line(0, "", "Nothing has failed.")
	case len(last.Actions) > 0:
		x.line(0, "", "")
		x.line(0, "", "What to do")
		for _, action := range last.Actions {
			x.line(2, "- ", strings.ReplaceAll(action, failure.Logs, s.command([]string{"autobuild", "logs", typed(p)})))
		}
	}
	return screen(x.out.String())
}

func explainStatus(p *state.Phase) string {
	word := string(p.Status)
	if interrupted(p, true) {
		word = "interrupted"
	}
	text := fmt.Sprintf("%s, %d of %d attempts", word, len(p.Attempts), max(p.MaxAttempts, len(p.Attempts)))
	switch {
	case p.BlockedBy != "":
		text += ", blocked by phase " + p.BlockedBy
	case p.Reason != "" && p.Status == state.Pending:
		text += ": " + p.Reason
	}
	return text
}

// explanation collects the lines.
type explanation struct {
	style Style
	dir   string
	out   strings.Builder
}

// line writes text behind a lead of our own, its further rows below its first.
func (x *explanation) line(indent int, lead, text string) {
	lead = strings.Repeat(" ", indent) + lead
	for _, row := range wrap(x.style.show(text, 2000), max(x.style.width()-Width(lead), 12)) {
		x.out.WriteString(strings.TrimRight(lead+row, " ") + "\n")
		lead = strings.Repeat(" ", Width(lead))
	}
}

// failure tells of one failed attempt. Of what an earlier one met already, only the logs and the decision are new.
func (x *explanation) failure(a state.Attempt, before int) {
	f := a.Failure
	x.line(0, "", "")
	if before > 0 {
		x.line(0, "", fmt.Sprintf("Attempt %d: %s, as in attempt %d", a.N, f.Type, before))
	} else {
		x.line(0, "", fmt.Sprintf("Attempt %d: %s", a.N, f.Type))
		x.line(2, "", f.Message)
		if f.Cause != "" {
			x.line(2, "cause: ", string(f.Cause))
		}
		evidence := explainEvidence(f)
		if len(evidence) > 0 || f.Details != "" {
			x.line(0, "", "Evidence")
		}
		for _, e := range evidence {
			x.line(2, "- ", e)
		}
		for row := range strings.Lines(f.Details) {
			x.line(4, "", strings.TrimRight(row, "\n"))
		}
	}
	if a.Log != "" || len(a.Gates) > 0 {
		x.line(0, "", "Logs")
	}
	for _, g := range a.Gates {
		text := "gate " + g.Name + " " + strings.ReplaceAll(string(g.Status), "_", " ")
		if g.Log != "" {
			text += ": " + under(x.dir, g.Log)
		}
		x.line(2, "- ", text)
	}
	if a.Log != "" {
		x.line(2, "- ", "the agent's own words: "+under(x.dir, a.Log))
	}
	if d := a.Decision; d != nil {
		x.line(0, "", "Decision")
		x.line(2, "", fmt.Sprintf("%s: %s", d.Action, d.Rationale))
	}
}

// explainEvidence lists what the diagnosis rests on, most telling first.
func explainEvidence(f *failure.Diagnosis) []string {
	var out []string
	if f.Command != "" {
		out = append(out, fmt.Sprintf("gate %s ran `%s`", f.Gate, f.Command))
	}
	for _, t := range f.Tests {
		out = append(out, "failing: "+located(t.Name, place(t.File, t.Line)))
	}
	for _, q := range f.Places {
		out = append(out, strings.TrimSpace(place(q.File, q.Line)+" "+q.Message+" "+q.Rule))
	}
	for _, claim := range f.Claimed {
		out = append(out, "claimed: "+claim)
	}
	for _, found := range f.Found {
		out = append(out, "found: "+found)
	}
	return out
}
