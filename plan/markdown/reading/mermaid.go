package reading

import (
	"slices"
	"strings"
	"unicode"

	"autobuild/internal/lazyregexp"
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/words"
)

// Chart reads the mermaid chart in a block of code; nil where it holds none.
func (r *Reading) Chart(b *document.CodeBlock) *Flow {
	if !b.IsMermaid() {
		return nil
	}
	f, read := r.charts[b.Line]
	if !read {
		if r.charts == nil {
			r.charts = map[int]*Flow{}
		}
		f = readFlow(b.Text)
		r.charts[b.Line] = f
	}
	return f
}

// isDot matches the beginning of a directed graph in the language of Graphviz.
var isDot = lazyregexp.New(`^(?:\s|//[^\n]*\n|#[^\n]*\n|(?s:/\*.*?\*/))*(?:strict\s+)?digraph\b`)

// readCharts reads dependencies from a chart, but only where nothing else in the document states
// any, because charts often simplify. It follows a chart that has every phase.
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
		d := r.Drawn(f)
		edges := r.Turned(d.Edges)
		if len(edges) == 0 || len(d.Others) >= d.Nodes-len(d.Others) ||
			len(d.Named) < len(r.Units) || leadsBack(edges) && !d.Sure || f.TooLarge() {
			continue
		}
		r.follow(edges, b.Line)
		return
	}
}

// leadsBack reports whether most arrows of a chart lead from a later phase of the document to an
// earlier one. Such arrows may say what comes next, or what a phase depends on.
func leadsBack(edges [][2]int) bool {
	back := 0
	for _, e := range edges {
		if e[0] > e[1] {
			back++
		}
	}
	return 2*back > len(edges)
}

// Turned is the edges of a chart with the earlier phase first, where the document says that arrows
// lead to what a phase depends on.
func (r *Reading) Turned(edges [][2]int) [][2]int {
	if !r.arrowsWait() {
		return edges
	}
	turned := make([][2]int, len(edges))
	for k, e := range edges {
		turned[k] = [2]int{e[1], e[0]}
	}
	return turned
}

// arrowsWait reports whether the document says that an arrow leads to what a phase waits for:
// "Arrows mean \"depends on\"".
func (r *Reading) arrowsWait() bool {
	if r.arrows == 0 {
		r.arrows = 1
		for i := range r.Doc.Paragraphs {
			text := inline.Plain(r.Doc.Paragraphs[i].Raw)
			if len(text) <= words.MaxSentence && meansWaiting(text) {
				r.arrows = 2
			}
		}
	}
	return r.arrows == 2
}

// meansWaiting reports whether a text says of arrows that they mean to depend. In "A → B: B needs
// A" they do not.
func meansWaiting(text string) bool {
	const few = 4 // words
	lower := strings.ToLower(text)
	for _, word := range arrowWords {
		_, rest, found := strings.Cut(lower, word)
		for _, verb := range arrowVerbs {
			_, meaning, says := strings.Cut(rest, verb)
			if !found || !says {
				continue
			}
			meaning = strings.TrimLeftFunc(meaning, unicode.IsLower) // "means"
			part := strings.Fields(strings.Map(func(r rune) rune {
				if strings.ContainsRune("\"'“”„«»`*_.,:;()=。「」", r) {
					return ' '
				}
				return r
			}, meaning))
			if len(part) > 0 && part[0] == "b" {
				continue
			}
			for n := range min(few, len(part)) {
				for from := range n + 1 {
					if words.WaitsFor(strings.Join(part[from:n+1], " ")) {
						return true
					}
				}
			}
		}
	}
	return false
}

// arrowWords are words for the arrows of a chart.
var arrowWords = []string{
	"arrow", "edge", "pfeil", "kante", "flèche", "flecha", "seta", "стрелк", "箭头", "矢印", "화살표",
	"a --> b", "a -> b", "a → b",
}

// arrowVerbs stand between an arrow and what it means.
var arrowVerbs = []string{
	"mean", "read", "point", "denote", "stand for", "indicate", "show", "=", ":", "bedeute", "heiß",
	"signifi", "significa", "означа", "表示", "意味", "의미",
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
