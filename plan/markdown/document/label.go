package document

import (
	"slices"
	"sort"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/inline"
)

// Label is a statement such as "**Depends on:** Phase 1" at the start of a paragraph line or a list
// item.
type Label struct {
	Line   int
	Offset int    // of value
	Name   string // lower-case words: "depends on"
	Value  string // as written
	Item   int    // position of the item around it, or -1
	head   bool   // the item begins with it
	Bold   bool
	Loose  bool // may be about something else than phases: it counts only where it names one
}

const maxLabel = 60

// blanks may stand before the colon of a label, and behind it: French puts a blank there that does
// not break.
const blanks = " \t\u00a0\u202f"

// readLabels finds the labels of a document: in paragraphs and list items, in tables of a name and
// a value, and in blocks of YAML.
func readLabels(d *Document) []Label {
	var labels []Label
	for _, p := range d.Paragraphs {
		raw, off := p.Raw, p.Offset
		if p.Head && p.Item >= 0 && d.Items[p.Item].Offset > off {
			skip := min(d.Items[p.Item].Offset-off, len(raw))
			raw, off = raw[skip:], off+skip
		}
		found := LineLabels(raw)
		if p.Head {
			found = append(found, tags(raw)...)
		}
		for _, l := range found {
			l.Line, l.Offset, l.Item, l.head = p.Line, l.Offset+off, p.Item, p.Head
			labels = append(labels, l)
		}
	}
	if more := append(d.rowLabels(), d.fenceLabels()...); len(more) > 0 {
		labels = append(labels, more...)
		sort.SliceStable(labels, func(a, b int) bool { return labels[a].Line < labels[b].Line })
	}
	return labels
}

// tags finds what the words of an item say of dependencies in the form of a tag: "depends:T1,T2",
// "@after=3".
func tags(raw string) (labels []Label) {
	if strings.IndexByte(raw, ':') < 0 && strings.IndexByte(raw, '=') < 0 {
		return nil
	}
	for start := 0; start < len(raw); {
		end := start + strings.IndexByte(raw[start:]+" ", ' ')
		word := raw[start:end]
		at := strings.IndexAny(word, ":=")
		if at > 0 && at+1 < len(word) {
			name := WordsOfKey(strings.Trim(word[:at], "@#([`*"))
			value := strings.TrimRight(word[at+1:], ")`*")
			if IsNeed(name) {
				labels = append(labels, Label{
					Name: name, Value: value, Offset: start + at + 1,
					Loose: true,
				})
			}
		}
		start = end + 1
	}
	return labels
}

// LineLabels finds the labels of one line. Several may follow each other: "**Depends on:** 1 |
// **Estimate:** 3", "Priority: high | Depends on: 1", "`priority: high` `depends: 1`".
func LineLabels(raw string) []Label {
	labels := firstLabels(raw)
	if !slices.ContainsFunc(labels, func(l Label) bool {
		return slices.ContainsFunc(separating, func(s string) bool { return strings.Contains(l.Value, s) })
	}) {
		return labels
	}
	var all []Label
	for _, l := range labels {
		first := l
		cut := false
		for part, off := range pieces(l.Value) {
			inner, ok := bareLabel(part)
			if !ok || off == 0 && l.Name == inner.Name {
				continue
			}
			if off > 0 && !cut {
				first.Value, _ = trimmed(l.Value[:off], 0)
				cut = true
			}
			inner.Offset += l.Offset + off
			inner.Loose = true
			all = append(all, inner)
		}
		all = append(all, first)
	}
	if len(all) > 1 {
		sort.SliceStable(all, func(a, b int) bool { return all[a].Offset < all[b].Offset })
	}
	return all
}

// separating are the marks that stand between statements of one line.
var separating = []string{" | ", " · ", "; ", "` `", "`, `"}

// pieces cuts a line at the marks that stand between statements, and takes code marks off. off is
// where a piece begins.
func pieces(s string) func(func(part string, off int) bool) {
	return func(yield func(string, int) bool) {
		const longest = 4000 // bytes of a line of statements
		if len(s) > longest {
			return
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
func (d *Document) rowLabels() []Label {
	var labels []Label
	for i := range d.Tables {
		t := &d.Tables[i]
		if len(t.Header) != 2 {
			continue
		}
		rows := append([]Row{{Line: t.Line, Cells: t.Header}}, t.Rows...)
		for k, row := range rows {
			name, value := inline.Words(row.At(0).Raw), row.At(1)
			if value.Offset == 0 || k == 0 && !IsNeed(name) {
				continue
			}
			labels = append(labels, Label{
				Line: row.Line, Offset: value.Offset, Name: name,
				Value: value.Raw, Item: -1, Loose: true,
			})
		}
	}
	return labels
}

// fenceLabels reads what blocks of YAML say of dependencies.
func (d *Document) fenceLabels() []Label {
	var labels []Label
	for i := range d.CodeBlocks {
		f := &d.CodeBlocks[i]
		if f.Info != "yaml" && f.Info != "yml" {
			continue
		}
		var entries []Entry
		for k := f.From; k < f.End; k++ {
			if e, ok := readEntry(d.Line(k), k); ok {
				entries = append(entries, e)
			}
		}
		for k, e := range entries {
			if !IsNeed(WordsOfKey(e.Key)) {
				continue
			}
			value := strings.Join(listAt(entries, k), ", ")
			if value == "" && strings.TrimSpace(e.Value) == "[]" {
				value = "none"
			}
			labels = append(labels, Label{
				Line: e.Line, Offset: d.Lines[e.Line-1] +
					e.Indent, Name: WordsOfKey(e.Key),
				Value: value,
				Item:  f.item, Loose: true,
			})
		}
	}
	return labels
}

// IsNeed reports whether the name of a label or column is a word for what comes first.
func IsNeed(name string) bool { return plan.IsWord("needs", name) || plan.IsWord("needs weak", name) }

// WordsOfKey are the words of a key of YAML: "depends_on", "dependsOn".
func WordsOfKey(key string) string {
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
	return inline.Words(b.String())
}

// firstLabels finds the label that a line begins with, or the bold ones in it.
func firstLabels(raw string) []Label {
	lead := len(raw) - len(strings.TrimLeftFunc(raw,
		func(r rune) bool { return r == ' ' || inline.IsEmoji(r) }))
	s := raw[lead:]
	if s == "" {
		return nil
	}
	var labels []Label
	if s[0] == '`' {
		for part, off := range pieces(s) {
			if l, ok := bareLabel(part); ok {
				l.Offset += lead + off
				l.Loose = true
				labels = append(labels, l)
			}
		}
		return labels
	}
	if s[0] != '*' && s[0] != '_' {
		if l, ok := bareLabel(s); ok {
			l.Offset += lead
			return []Label{l}
		}
		return nil
	}
	at := 0
	for {
		l, size, ok := boldLabel(s[at:])
		if !ok {
			break
		}
		l.Offset = lead + at + size
		next := NextBold(s[at+size:])
		l.Value, l.Offset = trimmed(s[at+size:at+size+next], l.Offset)
		labels = append(labels, l)
		at += size + next
		if at >= len(s) {
			break
		}
	}
	return labels
}

// bareLabel reads "Depends on: Phase 1".
func bareLabel(s string) (Label, bool) {
	end, size := strings.IndexByte(s[:min(len(s), maxLabel)], ':'), 1
	if wide := strings.Index(s[:min(len(s), maxLabel)], "："); wide >= 0 && (end < 0 || wide < end) {
		end, size = wide, len("：")
	}
	if end <= 0 || s[0] == '`' || s[0] == '[' || (size == 1 && end+1 < len(s) && s[end+1] != ' ') {
		return Label{}, false
	}
	name := inline.Words(s[:end])
	if name == "" || strings.Count(name, " ") > 4 {
		return Label{}, false
	}
	value, off := trimmed(s[end+size:], end+size)
	return Label{Name: name, Value: value, Offset: off}, true
}

// boldLabel reads "**Name:**", "**Name**:", or a line that is nothing but "**Name**". size is its
// length.
func boldLabel(s string) (l Label, size int, ok bool) {
	marks := 0
	for marks < len(s) && marks < 3 && s[marks] == s[0] {
		marks++
	}
	if s == "" || (s[0] != '*' && s[0] != '_') {
		return Label{}, 0, false
	}
	mark := s[:marks]
	end := strings.Index(s[marks:min(len(s), marks+maxLabel*2)], mark)
	if end < 0 {
		return Label{}, 0, false
	}
	inner := s[marks : marks+end]
	size = marks + end + marks
	if name, value, found := strings.Cut(inner, ":"); found && strings.TrimSpace(value) != "" &&
		marks == 1 {
		// "_Requirements: 1.1, 2.3_": the marks are around all of it
		return Label{Name: inline.Words(name)}, marks + len(name) + 1, inline.Words(name) != ""
	}
	colon := strings.HasSuffix(strings.TrimSpace(inner), ":") ||
		strings.HasSuffix(strings.TrimSpace(inner), "：")
	rest := s[size:]
	if !colon {
		after := strings.TrimLeft(rest, blanks)
		switch {
		case strings.HasPrefix(after, ":"):
			size += len(rest) - len(after) + 1
		case strings.HasPrefix(after, "："):
			size += len(rest) - len(after) + len("：")
		case strings.HasPrefix(after, "(") && strings.HasSuffix(strings.TrimRight(after, " "),
			"):"):
			size = len(s)
		case strings.HasPrefix(after, "（") && strings.Contains(after, "）:"): // a translation
			size += len(rest) - len(after) + strings.Index(after, "）:") + len("）:")
		case after != "":
			return Label{}, 0, false
		}
	}
	name := inline.Words(inner)
	return Label{Name: name, Bold: true}, size, name != "" && len(inner) <= maxLabel
}

// NextBold is where the next bold label of a line begins, or its length.
func NextBold(s string) int {
	for at := 0; ; {
		k := strings.Index(s[at:], "**")
		if k < 0 {
			return len(s)
		}
		at += k
		if l, size, ok := boldLabel(s[at:]); ok && l.Bold &&
			(size < len(s[at:]) || strings.Contains(s[at:], ":")) {
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
	left := strings.TrimLeft(s, blanks+"*_")
	off += len(s) - len(left)
	return strings.TrimRight(left, " \t|·;,"), off
}
