package markdown

import (
	"slices"
	"sort"
	"strings"
)

// label is a statement such as "**Depends on:** Phase 1" at the start of a paragraph line or a list
// item.
type label struct {
	line  int
	off   int    // of value
	name  string // lower-case words: "depends on"
	value string // as written
	item  int    // position of the item around it, or -1
	head  bool   // the item begins with it
	bold  bool
	loose bool // may be about something else than phases: it counts only where it names one
}

const maxLabel = 60

// readLabels finds the labels of a document: in paragraphs and list items, in tables of a name and
// a value, and in blocks of YAML.
func readLabels(d *document) []label {
	var labels []label
	for _, p := range d.paras {
		raw, off := p.raw, p.off
		if p.head && p.item >= 0 && d.items[p.item].off > off {
			skip := min(d.items[p.item].off-off, len(raw))
			raw, off = raw[skip:], off+skip
		}
		for _, l := range lineLabels(raw) {
			l.line, l.off, l.item, l.head = p.line, l.off+off, p.item, p.head
			labels = append(labels, l)
		}
	}
	if more := append(d.rowLabels(), d.fenceLabels()...); len(more) > 0 {
		labels = append(labels, more...)
		sort.SliceStable(labels, func(a, b int) bool { return labels[a].line < labels[b].line })
	}
	return labels
}

// lineLabels finds the labels of one line. Several may follow each other: "**Depends on:** 1 |
// **Estimate:** 3", "Priority: high | Depends on: 1", "`priority: high` `depends: 1`".
func lineLabels(raw string) []label {
	labels := firstLabels(raw)
	if !slices.ContainsFunc(labels, func(l label) bool { return hasAny(l.value, separating...) }) {
		return labels
	}
	var all []label
	for _, l := range labels {
		first := l
		cut := false
		for part, off := range pieces(l.value) {
			inner, ok := bareLabel(part)
			if !ok || off == 0 && l.name == inner.name {
				continue
			}
			if off > 0 && !cut {
				first.value, _ = trimmed(l.value[:off], 0)
				cut = true
			}
			inner.off += l.off + off
			inner.loose = true
			all = append(all, inner)
		}
		all = append(all, first)
	}
	if len(all) > 1 {
		sort.SliceStable(all, func(a, b int) bool { return all[a].off < all[b].off })
	}
	return all
}

// separating are the marks that stand between statements of one line.
var separating = []string{" | ", " · ", "; ", "` `", "`, `"}

// pieces cuts a line at the marks that stand between statements, and takes code marks off. off is
// where a piece begins.
func pieces(s string) func(func(part string, off int) bool) {
	return func(yield func(string, int) bool) {
		if len(s) > mostSaid {
			return // no line of statements
		}
		for start := 0; start < len(s); {
			end, size := len(s), 0
			for _, sep := range separating {
				if at := strings.Index(s[start:], sep); at >= 0 && start+at < end {
					end, size = start+at, len(sep)
				}
			}
			part := strings.TrimRight(s[start:end], " `")
			lead := len(part) - len(strings.TrimLeft(part, " `"))
			if part[lead:] != "" && !yield(part[lead:], start+lead) {
				return
			}
			start = end + size
		}
	}
}

// rowLabels reads the rows of tables of two columns as labels: "| Depends on | Phase 1 |".
func (d *document) rowLabels() []label {
	var labels []label
	for i := range d.tables {
		t := &d.tables[i]
		if len(t.header) != 2 {
			continue
		}
		rows := append([]row{{line: t.line, cells: t.header}}, t.rows...)
		for k, row := range rows {
			name, value := words(row.at(0).raw), row.at(1)
			if value.off == 0 || k == 0 && !needing(name) {
				continue
			}
			labels = append(labels, label{line: row.line, off: value.off, name: name, value: value.raw, item: -1, loose: true})
		}
	}
	return labels
}

// fenceLabels reads what blocks of YAML say of dependencies.
func (d *document) fenceLabels() []label {
	var labels []label
	for _, f := range d.fences {
		if f.info != "yaml" && f.info != "yml" {
			continue
		}
		var entries []entry
		for k := f.from; k < f.end; k++ {
			if e, ok := readEntry(d.line(k), k); ok {
				entries = append(entries, e)
			}
		}
		for k, e := range entries {
			if !needing(keyWords(e.key)) {
				continue
			}
			labels = append(labels, label{
				line: e.line, off: d.lines[e.line-1] + e.indent, name: keyWords(e.key), value: strings.Join(listAt(entries, k), ", "), item: f.item, loose: true,
			})
		}
	}
	return labels
}

// needing reports whether a name of a label says what comes first.
func needing(name string) bool { return among(needLabels, name) || among(weakNeeds, name) }

// keyWords are the words of a key of YAML: "depends_on", "dependsOn".
func keyWords(key string) string {
	var b strings.Builder
	for i := range len(key) {
		switch c := key[i]; {
		case c == '_' || c == '-':
			b.WriteByte(' ')
		case c >= 'A' && c <= 'Z' && i > 0 && key[i-1] >= 'a' && key[i-1] <= 'z':
			b.WriteByte(' ')
			b.WriteByte(c | 0x20)
		default:
			b.WriteByte(c)
		}
	}
	return words(b.String())
}

// firstLabels finds the label that a line begins with, or the bold ones in it.
func firstLabels(raw string) []label {
	lead := len(raw) - len(strings.TrimLeftFunc(raw, func(r rune) bool { return r == ' ' || picture(r) }))
	s := raw[lead:]
	if s == "" {
		return nil
	}
	var labels []label
	if s[0] == '`' {
		for part, off := range pieces(s) {
			if l, ok := bareLabel(part); ok {
				l.off += lead + off
				l.loose = true
				labels = append(labels, l)
			}
		}
		return labels
	}
	if s[0] != '*' && s[0] != '_' {
		if l, ok := bareLabel(s); ok {
			l.off += lead
			return []label{l}
		}
		return nil
	}
	at := 0
	for {
		l, size, ok := boldLabel(s[at:])
		if !ok {
			break
		}
		l.off = lead + at + size
		next := nextBold(s[at+size:])
		l.value, l.off = trimmed(s[at+size:at+size+next], l.off)
		labels = append(labels, l)
		at += size + next
		if at >= len(s) {
			break
		}
	}
	return labels
}

// bareLabel reads "Depends on: Phase 1".
func bareLabel(s string) (label, bool) {
	end, size := strings.IndexByte(s[:min(len(s), maxLabel)], ':'), 1
	if wide := strings.Index(s[:min(len(s), maxLabel)], "："); wide >= 0 && (end < 0 || wide < end) {
		end, size = wide, len("：")
	}
	if end <= 0 || s[0] == '`' || s[0] == '[' || (size == 1 && end+1 < len(s) && s[end+1] != ' ') {
		return label{}, false
	}
	name := words(s[:end])
	if name == "" || strings.Count(name, " ") > 4 {
		return label{}, false
	}
	value, off := trimmed(s[end+size:], end+size)
	return label{name: name, value: value, off: off}, true
}

// boldLabel reads "**Name:**", "**Name**:", or a line that is nothing but "**Name**". size is its
// length.
func boldLabel(s string) (l label, size int, ok bool) {
	marks := 0
	for marks < len(s) && marks < 3 && s[marks] == s[0] {
		marks++
	}
	if s == "" || (s[0] != '*' && s[0] != '_') {
		return label{}, 0, false
	}
	mark := s[:marks]
	end := strings.Index(s[marks:min(len(s), marks+maxLabel*2)], mark)
	if end < 0 {
		return label{}, 0, false
	}
	inner := s[marks : marks+end]
	size = marks + end + marks
	if name, value, found := strings.Cut(inner, ":"); found && strings.TrimSpace(value) != "" && marks == 1 {
		// "_Requirements: 1.1, 2.3_": the marks are around all of it
		return label{name: words(name)}, marks + len(name) + 1, words(name) != ""
	}
	colon := strings.HasSuffix(strings.TrimSpace(inner), ":") || strings.HasSuffix(strings.TrimSpace(inner), "：")
	rest := s[size:]
	if !colon {
		after := strings.TrimLeft(rest, " ")
		switch {
		case strings.HasPrefix(after, ":"):
			size += len(rest) - len(after) + 1
		case strings.HasPrefix(after, "："):
			size += len(rest) - len(after) + len("：")
		case strings.HasPrefix(after, "(") && strings.HasSuffix(strings.TrimRight(after, " "), "):"):
			size = len(s)
		case glossed(after) > 0:
			size += len(rest) - len(after) + glossed(after)
		case after != "":
			return label{}, 0, false
		}
	}
	name := words(inner)
	return label{name: name, bold: true}, size, name != "" && len(inner) <= maxLabel
}

// glossed is the length of a translation in full-width brackets and the colon behind it: of
// "（依存関係）: 1" all before the number. 0 is none.
func glossed(s string) int {
	inner, found := strings.CutPrefix(s, "（")
	gloss, rest, closed := strings.Cut(inner, "）")
	if !found || !closed || len(gloss) > maxLabel {
		return 0
	}
	for _, colon := range []string{":", "："} {
		if strings.HasPrefix(rest, colon) {
			return len("（") + len(gloss) + len("）") + len(colon)
		}
	}
	return 0
}

// nextBold is where the next bold label of a line begins, or its length.
func nextBold(s string) int {
	for at := 0; ; {
		k := strings.Index(s[at:], "**")
		if k < 0 {
			return len(s)
		}
		at += k
		if l, size, ok := boldLabel(s[at:]); ok && l.bold && (size < len(s[at:]) || strings.Contains(s[at:], ":")) {
			return at
		}
		end := strings.Index(s[at+2:], "**")
		if end < 0 {
			return len(s)
		}
		at += 2 + end + 2
	}
}

// trimmed cuts blanks and separators off a value and moves its offset along.
func trimmed(s string, off int) (string, int) {
	left := strings.TrimLeft(s, " \t*_")
	off += len(s) - len(left)
	return strings.TrimRight(left, " \t|·;,"), off
}
