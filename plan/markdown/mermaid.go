package markdown

import (
	"strings"

	"autobuild/plan"
)

// mermaid reads dependencies from a flow chart, but only where nothing else in the document states any: a
// picture is for people, and often simplifies.
func (r *reading) mermaid() {
	for i := range r.units {
		if len(r.units[i].Needs) > 0 {
			return
		}
	}
	for _, f := range r.doc.fences {
		if f.info != "mermaid" {
			continue
		}
		edges, nodes, resolved := chart(f.text, r.index())
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

// flow is a flow chart as far as it is about phases.
type flow struct {
	known *plan.Index
	phase map[string]int // by node
	seen  map[string]bool
	edges [][2]int
}

// chart reads the edges of a flow chart between phases, and counts how many of its nodes are phases.
func chart(text string, known *plan.Index) (edges [][2]int, nodes, resolved int) {
	f := flow{known: known, phase: map[string]int{}, seen: map[string]bool{}}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(strings.TrimSpace(line), ";")
		if !strings.HasPrefix(line, "graph") && !strings.HasPrefix(line, "flowchart") && strings.Contains(line, "-->") {
			f.line(line)
		}
	}
	return f.edges, len(f.seen), len(f.phase)
}

// line reads "A --> B & C --> D".
func (f *flow) line(line string) {
	var before []string
	for part := range strings.SplitSeq(line, "-->") {
		if note, found := strings.CutPrefix(strings.TrimSpace(part), "|"); found {
			_, part, _ = strings.Cut(note, "|")
		}
		var now []string
		for node := range strings.SplitSeq(part, "&") {
			now = append(now, f.node(strings.TrimSpace(node)))
		}
		for _, from := range before {
			for _, to := range now {
				f.edge(from, to)
			}
		}
		before = now
	}
}

func (f *flow) edge(from, to string) {
	a, okA := f.phase[from]
	b, okB := f.phase[to]
	if okA && okB && a != b {
		f.edges = append(f.edges, [2]int{a, b})
	}
}

// node reads "P1[Phase 1: Base]": the phase is what the text names, else what the node is called.
func (f *flow) node(node string) string {
	name, text := node, node
	if at := strings.IndexAny(node, "[({"); at > 0 {
		name, text = node[:at], strings.Trim(node[at:], "[](){}\"' ")
	}
	name = strings.TrimSpace(name)
	text, _, _ = strings.Cut(text, "<br")
	f.seen[name] = true
	for _, candidate := range []string{readTitle(text).label, text, name} {
		if _, have := f.phase[name]; have || candidate == "" {
			continue
		}
		if i, ok := f.known.Find(candidate); ok {
			f.phase[name] = i
		}
	}
	return name
}
