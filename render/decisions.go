package render

import "strings"

// Decision is what a resumed run does with one phase, and why.
type Decision struct {
	Label  string
	Name   string
	Verb   string // "keep", "again", "adopt", "begin", "hold"
	Reason string
}

// Decisions shows on a line a phase what a resumed run will do with it. Phases of the same verb and reason share a
// line where there are more than forty of them.
func Decisions(ds []Decision, s Style) string {
	if len(ds) > 40 {
		ds = merged(ds)
	}
	var labels, verbs int
	for _, d := range ds {
		labels = max(labels, Width(s.show(d.Label, 24)))
		verbs = max(verbs, Width(s.show(d.Verb, 16)))
	}
	var out strings.Builder
	for _, d := range ds {
		i := plainInk
		if d.Verb == "keep" {
			i = faint
		}
		text := s.show(d.Name, max(10, s.width()/3))
		if reason := s.show(d.Reason, 300); reason != "" {
			text = strings.TrimPrefix(text+": "+reason, ": ")
		}
		row := "  " + s.paint(strong, pad(s.show(d.Label, 24), labels)) + "  " +
			s.paint(i, pad(s.show(d.Verb, 16), verbs)) + "  " + text
		out.WriteString(strings.TrimRight(row, " ") + "\n")
	}
	return screen(out.String())
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
		out[i] = Decision{Label: count(len(members[k]), "phase"), Verb: k.verb, Reason: k.reason, Name: some(members[k], 12)}
	}
	return out
}
