package markdown

import (
	"strings"

	"autobuild/plan"
)

// mermaid reads dependencies from a flow chart, but only where nothing else in the document states any: a
// picture is for people, and often simplifies.
func (r *reading) mermaid(known *plan.Index) {
	for i := range r.units {
		if len(r.units[i].Needs) > 0 {
			return
		}
	}
	for _, f := range r.doc.fences {
		if f.info != "mermaid" {
			continue
		}
		edges, nodes, resolved := chart(f.text, known)
		if len(edges) == 0 || resolved*2 <= nodes || resolved < len(r.units) {
			continue
		}
		needs := map[int][]string{}
		for _, e := range edges {
			needs[e[1]] = append(needs[e[1]], r.units[e[0]].Label)
		}
		for i := range r.units {
			text := strings.Join(needs[i], ", ")
			if text == "" {
				text = "none"
			}
			r.units[i].Needs = []plan.Ref{{Text: text, Pos: plan.Pos{Line: f.line, Col: 1}}}
		}
		return
	}
}

// chart reads the edges of a flow chart between phases, and counts how many of its nodes are phases.
func chart(text string, known *plan.Index) (edges [][2]int, nodes, resolved int) {
	phase := map[string]int{}
	seen := map[string]bool{}
	note := func(node string) string {
		name, label := node, node
		if at := strings.IndexAny(node, "[({"); at > 0 {
			name, label = node[:at], strings.Trim(node[at:], "[](){}\"' ")
		}
		name = strings.TrimSpace(name)
		label, _, _ = strings.Cut(label, "<br")
		t := readTitle(label)
		for _, candidate := range []string{t.label, label, name} {
			if _, have := phase[name]; have || candidate == "" {
				continue
			}
			if i, ok := known.Find(candidate); ok {
				phase[name] = i
			}
		}
		seen[name] = true
		return name
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(strings.TrimSpace(line), ";")
		if strings.HasPrefix(line, "graph") || strings.HasPrefix(line, "flowchart") || !strings.Contains(line, "-->") {
			continue
		}
		var before []string
		for part := range strings.SplitSeq(line, "-->") {
			if strings.HasPrefix(strings.TrimSpace(part), "|") {
				_, part, _ = strings.Cut(strings.TrimSpace(part)[1:], "|")
			}
			var now []string
			for node := range strings.SplitSeq(part, "&") {
				now = append(now, note(strings.TrimSpace(node)))
			}
			for _, from := range before {
				for _, to := range now {
					a, okA := phase[from]
					b, okB := phase[to]
					if okA && okB && a != b {
						edges = append(edges, [2]int{a, b})
					}
				}
			}
			before = now
		}
	}
	return edges, len(seen), len(phase)
}
