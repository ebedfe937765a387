package markdown

import (
	"strings"

	"autobuild/plan"
)

// flowOf reads the chart in a block of code: mermaid, the language of Graphviz, or a drawing of
// lines and arrows. Nil when it holds none that is understood as a whole.
func (r *reading) flowOf(b *block) *flow {
	switch first, _, _ := strings.Cut(strings.TrimSpace(b.text), " "); {
	case b.info == "mermaid":
		return readFlow(b.text)
	case first == "digraph" || first == "strict":
		return readDot(b.text)
	case among(drawnIn, b.info) && isDrawing(b.text):
		if f, whole := r.drawing(b.text); whole {
			return f
		}
	}
	return nil
}

// drawnIn are the info words of blocks that may hold a drawing.
var drawnIn = []string{"", "text", "txt", "plain", "plaintext", "ascii", "diagram", "graph"}

// charted reads dependencies from a chart, but only where nothing else in the document states any: a
// picture is for people, and often simplifies.
func (r *reading) charted() {
	for i := range r.units {
		if len(r.units[i].Needs) > 0 {
			return
		}
	}
	for k := range r.doc.fences {
		b := &r.doc.fences[k]
		f := r.flowOf(b)
		if f == nil {
			continue
		}
		edges, nodes, resolved := f.edges(r.index())
		if len(edges) == 0 || resolved*2 <= nodes || resolved < len(r.units) {
			continue
		}
		r.follow(edges, b.line)
		return
	}
}

// follow makes every phase wait for those that edges lead from, and the others for none.
func (r *reading) follow(edges [][2]int, line int) {
	needs := make([]map[int]int, len(r.units))
	for _, e := range edges {
		if needs[e[1]] == nil {
			needs[e[1]] = map[int]int{}
		}
		needs[e[1]][e[0]] = line
	}
	for i := range r.units {
		r.units[i].Needs = []plan.Ref{r.waits(needs[i], line)}
	}
}
