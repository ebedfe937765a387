package reading

import (
	"strings"

	"autobuild/plan"
)

// readCharts reads dependencies from a flow chart, but only where nothing else in the document
// states any, because charts often simplify.
func (r *Reading) readCharts() {
	for i := range r.Units {
		if len(r.Units[i].Needs) > 0 {
			return
		}
	}
	for _, f := range r.Doc.CodeBlocks {
		if f.Info != "mermaid" {
			continue
		}
		edges, nodes, resolved := Chart(f.Text, r.Index())
		if len(edges) == 0 || resolved*2 <= nodes || resolved < len(r.Units) {
			continue
		}
		needs := map[int][]string{}
		for _, e := range edges {
			needs[e[1]] = append(needs[e[1]], r.Units[e[0]].Label)
		}
		for i := range r.Units {
			text := strings.Join(needs[i], ", ")
			if text == "" {
				text = "none"
			}
			r.Units[i].Needs = []plan.Ref{{Text: text, Pos: plan.Pos{Line: f.Line, Col: 1}}}
		}
		return
	}
}
