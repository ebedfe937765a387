package reading

import (
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
)

// Chart reads the chart in a block of code: mermaid, the language of Graphviz, or a drawing of
// lines and arrows. Nil when the block holds none that is understood as a whole.
func (r *Reading) Chart(b *document.CodeBlock) *Flow {
	switch first, _, _ := strings.Cut(strings.TrimSpace(b.Text), " "); {
	case b.Info == "mermaid":
		return readFlow(b.Text)
	case first == "digraph" || first == "strict":
		return readDot(b.Text)
	case IsDrawing(b):
		if f, whole := r.drawing(b.Text); whole {
			return f
		}
	}
	return nil
}

// readCharts reads dependencies from a chart, but only where nothing else in the document states
// any, because charts often simplify.
func (r *Reading) readCharts() {
	for i := range r.Units {
		if len(r.Units[i].Needs) > 0 {
			return
		}
	}
	for k := range r.Doc.CodeBlocks {
		b := &r.Doc.CodeBlocks[k]
		f := r.Chart(b)
		if f == nil {
			continue
		}
		edges, nodes, resolved := f.Order(r.Index())
		if len(edges) == 0 || resolved*2 <= nodes || resolved < len(r.Units) {
			continue
		}
		r.follow(edges, b.Line)
		return
	}
}

// follow makes every phase wait for those that edges lead from, and the others for none.
func (r *Reading) follow(edges [][2]int, line int) {
	needs := make([]map[int]int, len(r.Units))
	for _, e := range edges {
		if needs[e[1]] == nil {
			needs[e[1]] = map[int]int{}
		}
		needs[e[1]][e[0]] = line
	}
	for i := range r.Units {
		r.Units[i].Needs = []plan.Ref{r.waitsFor(needs[i], line)}
	}
}

// drawnIn are the info words of blocks that may hold a drawing.
var drawnIn = []string{"", "text", "txt", "plain", "plaintext", "ascii", "diagram", "graph"}

// IsDrawing reports whether a block of code has lines that go down: one whose rows are not to be
// read one by one.
func IsDrawing(b *document.CodeBlock) bool {
	if !slices.Contains(drawnIn, b.Info) {
		return false
	}
	if strings.ContainsAny(b.Text, "│┃║├└┌┐┘┤┬┴┼▼↓╰╭╯╮╔╚╠↘↙") {
		return true
	}
	for line := range strings.Lines(b.Text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		line = strings.TrimLeft(strings.TrimSpace(line), "| ")
		if line == "" || strings.HasPrefix(line, "`--") || strings.HasPrefix(line, "+--") ||
			strings.Trim(line, "|vV^/\\+ ") == "" {
			return true
		}
	}
	return false
}
