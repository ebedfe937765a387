package reading

import (
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/words"
)

// Flow is a flow chart in the language of mermaid: its nodes by name, and its arrows.
type Flow struct {
	Names []string          // of the nodes, in the order in which they appear
	Label map[string]string // of a node that has one
	next  map[string][]string

	phases map[string]int // by node, where these are known beforehand
}

// Order lists the arrows between phases in a chart, and counts how many of its nodes are phases.
// Another node passes the order on: "1 --> check --> 2" has the edge 1 to 2.
func (f *Flow) Order(known *plan.Index) (edges [][2]int, nodes, resolved int) {
	phase := map[string]int{}
	for _, name := range f.Names {
		if i, ok := f.Phase(name, known); ok {
			phase[name] = i
		}
	}
	budget := 1 << 20 // steps through nodes that are no phases
	for _, name := range f.Names {
		from, ok := phase[name]
		if !ok {
			continue
		}
		seen := map[string]bool{name: true}
		for open := slices.Clone(f.next[name]); len(open) > 0; open = open[1:] {
			to := open[0]
			i, ok := phase[to]
			switch {
			case seen[to]:
			case ok && i != from:
				edges = append(edges, [2]int{from, i})
			case !ok && budget > 0:
				budget -= len(f.next[to])
				open = append(open, f.next[to]...)
			}
			seen[to] = true
		}
	}
	return edges, len(f.Names), len(phase)
}

// Phase is the phase that the label of a node names, else its name.
func (f *Flow) Phase(name string, known *plan.Index) (int, bool) {
	if f.phases != nil {
		i, ok := f.phases[name]
		return i, ok
	}
	label, _, _ := strings.Cut(f.Label[name], "<br")
	label = strings.TrimSpace(label)
	for _, candidate := range []string{
		words.ReadTitle(label).Label, label,
		words.ReadTitle(name).Label, name,
	} {
		if candidate == "" {
			continue
		}
		if i, ok := known.Find(candidate); ok {
			return i, true
		}
	}
	return 0, false
}

// readFlow reads a chart. One of another kind has no nodes.
func readFlow(text string) *Flow {
	f := &Flow{Label: map[string]string{}, next: map[string][]string{}}
	begun := false
	for line := range strings.Lines(text) {
		for _, s := range flowStatements(strings.TrimSpace(line)) {
			word, _, _ := strings.Cut(s, " ")
			switch {
			case !begun && word == "gantt":
				return readGantt(text)
			case !begun:
				begun = slices.Contains(flowHeads, word) || strings.HasPrefix(word, "stateDiagram")
			case slices.Contains(flowWords, word):
			default:
				f.statement(s)
			}
		}
	}
	return f
}

// readGantt reads the order of a Gantt chart: "Phase 2 :b, after a, 5d" comes after the task a.
func readGantt(text string) *Flow {
	f := &Flow{Label: map[string]string{}, next: map[string][]string{}}
	for line := range strings.Lines(text) {
		name, rest, found := strings.Cut(strings.TrimSpace(line), ":")
		if !found || strings.HasPrefix(name, "%%") {
			continue
		}
		name = strings.TrimSpace(name)
		id := name
		var after []string
		for part := range strings.SplitSeq(rest, ",") {
			part = strings.TrimSpace(part)
			if ids, follows := strings.CutPrefix(part, "after "); follows {
				after = strings.Fields(ids)
			} else if id == name && !slices.Contains(ganttTags, part) &&
				!strings.ContainsAny(part[:min(1, len(part))], "0123456789") && part != "" {
				id = part
			}
		}
		f.Names = append(f.Names, id)
		f.Label[id] = name
		for _, before := range after {
			f.next[before] = append(f.next[before], id)
		}
	}
	return f
}

// ganttTags say what a task of a Gantt chart looks like.
var ganttTags = []string{"done", "active", "crit", "milestone", "vert"}

// flowWords begin the statements that hold no arrow.
var flowWords = []string{
	"subgraph", "end", "classDef", "class", "style", "linkStyle", "click", "direction",
	"note", "state",
}

// flowHeads begin a flow chart.
var flowHeads = []string{"graph", "flowchart"}

// flowStatements cuts a line at semicolons outside quotes and brackets. A comment has none.
func flowStatements(line string) []string {
	if strings.HasPrefix(line, "%%") {
		return nil
	}
	var list []string
	for line != "" {
		end := outsideBrackets(line, func(rest string) bool { return rest[0] == ';' })
		if s := strings.TrimSpace(line[:end]); s != "" {
			list = append(list, s)
		}
		line = line[min(end+1, len(line)):]
	}
	return list
}

// outsideBrackets is the first place outside quotes and brackets at which a text goes on as is
// says, else its end.
func outsideBrackets(s string, is func(rest string) bool) int {
	depth, quoted := 0, false
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case depth == 0 && is(s[i:]):
			return i
		case strings.IndexByte("[({", c) >= 0:
			depth++
		case strings.IndexByte("])}", c) >= 0:
			depth = max(0, depth-1)
		}
	}
	return len(s)
}

// statement reads "A[Phase 1] --> B & C -- then --> D".
func (f *Flow) statement(s string) {
	var before []string
	way := byte(0)
	for {
		end := outsideBrackets(s, func(rest string) bool { return linkAt(rest) > 0 })
		var now []string
		for part := range ampersands(s[:end]) {
			if name := f.node(strings.TrimSpace(part)); name != "" {
				now = append(now, name)
			}
		}
		for _, from := range before {
			for _, to := range now {
				f.arrow(from, to, way)
			}
		}
		if end == len(s) {
			return
		}
		before = now
		way, s = flowLink(s[end:])
	}
}

func (f *Flow) arrow(from, to string, way byte) {
	switch way {
	case '>':
		f.next[from] = append(f.next[from], to)
	case '<':
		f.next[to] = append(f.next[to], from)
	}
}

// ampersands cuts a group of nodes.
func ampersands(s string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for {
			end := outsideBrackets(s, func(rest string) bool { return rest[0] == '&' })
			if !yield(s[:end]) || end == len(s) {
				return
			}
			s = s[end+1:]
		}
	}
}

// node notes "P1[Phase 1: Base]:::open", and returns its name.
func (f *Flow) node(s string) string {
	if s == "" {
		return ""
	}
	name, label := s, ""
	if at := strings.IndexAny(s, "[({>"); at >= 0 {
		name, label = s[:at], s[at:]
		end := strings.LastIndexAny(label, "])}")
		label = strings.Trim(label[:end+1], "[](){}>\"'/\\ ")
		if _, text, found := strings.Cut(label, "label:"); found && strings.HasSuffix(name, "@") {
			label = strings.Trim(text, "\"' ")
		}
	}
	name, _, _ = strings.Cut(strings.TrimSuffix(strings.TrimSpace(name), "@"), ":")
	if name, _, _ = strings.Cut(strings.TrimSpace(name), " "); name == "" {
		return ""
	}
	if _, seen := f.Label[name]; !seen {
		f.Names = append(f.Names, name)
		f.Label[name] = label
	} else if label != "" {
		f.Label[name] = label
	}
	return name
}

// linkAt is the length of the line of a link that a text begins with: "-->", "<==", "-.", "---"; 0
// when there is none.
func linkAt(s string) int {
	line := strings.TrimPrefix(s, "<")
	if len(line) < 2 || !slices.Contains([]string{"--", "==", "-.", "~~"}, line[:2]) {
		return 0
	}
	rest := strings.TrimLeft(line, "-=.~")
	return len(s) - len(strings.TrimPrefix(rest, ">"))
}

// flowLink reads a link with the text on it. way is '>' or '<', or 0 where it orders nothing. Of
// "A -- depends on --> B" the text gives the order, and not the arrow.
func flowLink(s string) (way byte, rest string) {
	size := linkAt(s)
	line, rest := s[:size], s[size:]
	forth, back := strings.HasSuffix(line, ">"), strings.HasPrefix(line, "<")
	label := ""
	if strings.HasPrefix(rest, "o ") || strings.HasPrefix(rest, "x ") {
		return 0, rest[1:]
	}
	if !forth && len(strings.TrimPrefix(line, "<")) == 2 { // "-- then -->"
		for at := range len(rest) {
			if end := linkAt(rest[at:]); end > 0 || strings.HasPrefix(rest[at:], ".-") {
				end = max(end, linkAt(strings.Replace(rest[at:], ".-", "-.", 1)))
				label = rest[:at]
				forth, rest = strings.HasSuffix(rest[at:at+end], ">"), rest[at+end:]
				break
			}
		}
	}
	if note, found := strings.CutPrefix(strings.TrimLeft(rest, " "), "|"); found {
		label, rest, _ = strings.Cut(note, "|")
	}
	if words.WaitsFor(label) {
		forth, back = back, forth
	}
	switch {
	case forth && !back:
		return '>', rest
	case back && !forth:
		return '<', rest
	}
	return 0, rest
}
