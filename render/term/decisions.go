package term

import (
	"strings"

	"autobuild/internal/text"
	"autobuild/render"
)

// Decision is a resumed run's plan for one phase, and the reason.
type Decision struct {
	Label  string
	Name   string
	Verb   string // "keep", "again", "adopt", "begin", "hold"
	Reason string
}

// Decisions shows on a line a phase what a resumed run will do with it. Phases of the same verb and
// reason share a line where there are more than forty of them.
func Decisions(ds []Decision, s render.Style) string {
	if len(ds) > 40 {
		ds = merged(ds)
	}
	var labels, verbs int
	for _, d := range ds {
		labels = max(labels, text.Width(s.Show(d.Label, 24)))
		verbs = max(verbs, text.Width(s.Show(d.Verb, 16)))
	}
	var out strings.Builder
	for _, d := range ds {
		i := render.PlainInk
		if d.Verb == "keep" {
			i = render.Faint
		}
		content := s.Show(d.Name, max(10, s.Columns()/3))
		if reason := s.Show(d.Reason, 300); reason != "" {
			content = strings.TrimPrefix(content+": "+reason, ": ")
		}
		row := "  " + paint(s, render.Strong, text.Pad(s.Show(d.Label, 24), labels)) + "  " +
			paint(s, i, text.Pad(s.Show(d.Verb, 16), verbs)) + "  " + content
		out.WriteString(strings.TrimRight(row, " ") + "\n")
	}
	return text.DisarmLines(out.String())
}

func merged(ds []Decision) []Decision {
	type kind struct{ verb, reason string }
	var order []kind
	members := make(map[kind][]string)
	for _, d := range ds {
		k := kind{d.Verb, d.Reason}
		if len(members[k]) == 0 {
			order = append(order, k)
		}
		members[k] = append(members[k], d.Label)
	}
	out := make([]Decision, len(order))
	for i, k := range order {
		out[i] = Decision{
			Label: text.Count(len(members[k]), "phase"), Verb: k.verb,
			Reason: k.reason, Name: text.JoinSome(members[k], 12),
		}
	}
	return out
}
