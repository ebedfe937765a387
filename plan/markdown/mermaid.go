package markdown

import (
	"strings"

	"autobuild/plan"
)

// mermaid reads dependencies from a flow chart, but only where nothing else in the document states
// any: a picture is for people, and often simplifies.
func (r *reading) mermaid() {
	for i := range r.units {
		if len(r.units[i].Needs) > 0 {
			return
		}
	}
	for _, f := range r.doc.Fences {
		if f.Info != "mermaid" {
			continue
		}
		edges, nodes, resolved := chart(f.Text, r.index())
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
			r.units[i].Needs = []plan.Ref{{Text: text, Pos: plan.Pos{Line: f.Line, Col: 1}}}
		}
		return
	}
}
