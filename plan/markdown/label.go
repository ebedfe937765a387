package markdown

import "strings"

// label is a statement such as "**Depends on:** Phase 1" at the start of a paragraph line or a list item.
type label struct {
	line  int
	off   int    // of value
	name  string // lower-case words: "depends on"
	value string // as written
	item  int    // position of the item around it, or -1
	head  bool   // the item begins with it
	bold  bool
}

const maxLabel = 60

// readLabels finds the labels of a document.
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
	return labels
}

// lineLabels finds the labels of one line. Several bold ones may follow each other:
// "**Depends on:** 1 | **Estimate:** 3".
func lineLabels(raw string) []label {
	lead := len(raw) - len(strings.TrimLeftFunc(raw, func(r rune) bool { return r == ' ' || picture(r) }))
	s := raw[lead:]
	if s == "" {
		return nil
	}
	if s[0] != '*' && s[0] != '_' {
		if l, ok := bareLabel(s); ok {
			l.off += lead
			return []label{l}
		}
		return nil
	}
	var labels []label
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
	end := strings.IndexByte(s[:min(len(s), maxLabel)], ':')
	if end <= 0 || s[0] == '`' || s[0] == '[' || (end+1 < len(s) && s[end+1] != ' ') {
		return label{}, false
	}
	name := words(s[:end])
	if name == "" || strings.Count(name, " ") > 4 {
		return label{}, false
	}
	value, off := trimmed(s[end+1:], end+1)
	return label{name: name, value: value, off: off}, true
}

// boldLabel reads "**Name:**", "**Name**:", or a line that is nothing but "**Name**". size is its length.
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
		case after != "":
			return label{}, 0, false
		}
	}
	name := words(inner)
	return label{name: name, bold: true}, size, name != "" && len(inner) <= maxLabel
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
