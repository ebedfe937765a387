package reading

import (
	"slices"
	"strings"

	"autobuild/plan/markdown/words"
)

// readFlow reads a flow chart or a diagram of states. A chart of another kind has no nodes.
func readFlow(text string) *Flow {
	f := newFlow()
	begun, states := false, false
	var open []string // the subgraphs around a line
	for line := range strings.Lines(text) {
		for _, s := range flowStatements(strings.TrimSpace(line)) {
			word, rest, _ := strings.Cut(s, " ")
			switch {
			case !begun:
				states = strings.HasPrefix(word, "stateDiagram")
				begun = states || slices.Contains(flowHeads, word)
			case word == "subgraph":
				open = append(open, f.subgraph(rest, open))
			case word == "end" || s == "}":
				open = open[:max(0, len(open)-1)]
			case word == "state" && states:
				if name := f.state(rest, open); strings.HasSuffix(s, "{") {
					open = append(open, name)
				}
			case slices.Contains(flowWords, word):
			case states:
				f.transition(s, open)
			default:
				f.statement(s, open)
			}
		}
	}
	return f
}

// subgraph notes the head of a subgraph, "S1[Phase 1: Read]", and returns its name.
func (f *Flow) subgraph(s string, open []string) string {
	name, title := strings.TrimSpace(s), ""
	if at := strings.IndexByte(name, '['); at >= 0 {
		name, title = name[:at], strings.Trim(name[at:], "[]\" ")
	}
	name = strings.Trim(name, "\" ")
	return f.group(name, title, open)
}

// state notes `"Phase 1: Read" as s1` and `s1 : Phase 1: Read`, and returns the name.
func (f *Flow) state(s string, open []string) string {
	s = strings.TrimSpace(strings.TrimSuffix(s, "{"))
	title, name, found := strings.Cut(s, " as ")
	if !found {
		name, title, _ = strings.Cut(s, ":")
	}
	name = strings.TrimSpace(name)
	if name, _, _ = strings.Cut(name, " "); name == "" {
		return ""
	}
	f.note(name, strings.Trim(title, "\" "), open)
	return name
}

// transition reads "s1 --> s2 : then" and "s1 : Phase 1: Read" of a diagram of states.
func (f *Flow) transition(s string, open []string) {
	from, rest, found := strings.Cut(s, "-->")
	if !found {
		f.state(s, open)
		return
	}
	to, label, _ := strings.Cut(rest, ":")
	arrow := " --> "
	if words.WaitsFor(label) {
		arrow, f.sure = " <-- ", true
	}
	f.statement(strings.TrimSpace(from)+arrow+strings.TrimSpace(to), open)
}

// flowWords begin the statements that hold no arrow.
var flowWords = []string{
	"classDef", "class", "style", "linkStyle", "click", "direction", "note", "accTitle:",
	"accDescr:", "title",
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
func (f *Flow) statement(s string, open []string) {
	var before []string
	way := byte(0)
	for {
		end := outsideBrackets(s, func(rest string) bool { return linkAt(rest) > 0 })
		var now []string
		for part := range ampersands(s[:end]) {
			if name := f.node(strings.TrimSpace(part), open); name != "" {
				now = append(now, name)
			}
		}
		switch way {
		case '>':
			f.join(before, now)
		case '<':
			f.join(now, before)
		}
		if end == len(s) {
			return
		}
		before = now
		var says bool
		way, s, says = flowLink(s[end:])
		f.sure = f.sure || says
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
func (f *Flow) node(s string, open []string) string {
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
	f.note(name, label, open)
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
func flowLink(s string) (way byte, rest string, says bool) {
	size := linkAt(s)
	line, rest := s[:size], s[size:]
	forth, back := strings.HasSuffix(line, ">"), strings.HasPrefix(line, "<")
	label := ""
	if strings.HasPrefix(rest, "o ") || strings.HasPrefix(rest, "x ") {
		return 0, rest[1:], false
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
	if says = words.WaitsFor(label); says {
		forth, back = back, forth
	}
	switch {
	case forth && !back:
		return '>', rest, says
	case back && !forth:
		return '<', rest, says
	}
	return 0, rest, says
}
