package reading

import (
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/plan/markdown/words"
)

// dotWords begin the statements of a Graphviz graph that are about its looks.
var dotWords = []string{
	"graph", "node", "edge", "rankdir", "rank", "label", "fontname", "size", "splines", "bgcolor",
	"digraph",
	"strict", "subgraph",
}

// readDot reads a graph in the language of Graphviz: `digraph { p1 [label="Phase 1"]; p1 -> p2 }`.
func readDot(text string) *Flow {
	f := &Flow{Label: map[string]string{}, next: map[string][]string{}}
	_, body, _ := strings.Cut(text, "{")
	for s := range strings.FieldsFuncSeq(body, func(r rune) bool { return r == '\n' || r == ';' }) {
		s = strings.TrimSpace(s)
		if comment, _, found := strings.Cut(s, "//"); found {
			s = strings.TrimSpace(comment)
		}
		word := strings.FieldsFunc(s+" ", func(r rune) bool {
			return r == ' ' || r == '=' || r == '['
		})
		if s == "" || s == "}" || len(word) == 0 ||
			slices.Contains(dotWords, strings.ToLower(word[0])) {
			continue
		}
		f.dot(s)
	}
	return f
}

// dotNames matches the names of nodes: quoted, or without blanks.
var dotNames = lazyregexp.New(`"[^"]*"|[^\s,;{}"]+`)

// dot reads one statement: a node with its label, or a path of nodes and groups of nodes.
func (f *Flow) dot(s string) {
	path, attributes, _ := strings.Cut(s, "[")
	_, label, labelled := strings.Cut(attributes, "label=")
	label = strings.TrimLeft(label, "\"<")
	if end := strings.IndexAny(label, "\"]>"); end >= 0 {
		label = label[:end]
	}
	var before []string
	for part := range strings.SplitSeq(path, "->") {
		var now []string
		for _, name := range dotNames.FindAllString(part, -1) {
			name = strings.Trim(name, "\"")
			if _, seen := f.Label[name]; !seen {
				f.Names = append(f.Names, name)
				f.Label[name] = ""
			}
			now = append(now, name)
		}
		// a -> b [label="depends on"]
		if labelled && words.WaitsFor(label) {
			f.join(now, before)
		} else {
			f.join(before, now)
		}
		before = now
	}
	if labelled && len(before) == 1 && !strings.Contains(path, "->") {
		f.Label[before[0]] = strings.ReplaceAll(label, "\\n", " ")
	}
}
