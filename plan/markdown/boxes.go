package markdown

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// timestamp is what the progress list of an ExecPlan begins its entries with: "(2025-10-01 13:00Z)
// ".
var timestamp = regexp.MustCompile(`^(?:\(\d{4}-\d\d-\d\d[^()]{0,24}\)|\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?(?: ?Z| UTC)?)?)(?:\s*[:—–-])?\s+`)

// boxed reads the box that a text begins with: what it says, as a byte, and how many bytes it has inside. A mark
// counts as an x, and any other picture as nothing known.
func boxed(raw string) (c byte, inner int, ok bool) {
	if len(raw) < 3 || raw[0] != '[' {
		return 0, 0, false
	}
	r, inner := utf8.DecodeRuneInString(raw[1:])
	if strings.HasPrefix(raw[1+inner:], "\ufe0f") {
		inner += len("\ufe0f")
	}
	if inner+1 >= len(raw) || raw[inner+1] != ']' {
		return 0, 0, false
	}
	switch {
	case r < utf8.RuneSelf:
		return raw[1], inner, true
	case strings.ContainsRune("✓✔☑✅🗸", r):
		return 'x', inner, true
	case picture(r) || strings.ContainsRune("→✗✘…–—•", r):
		return '?', inner, true
	}
	return 0, 0, false
}

// pictured are the pictures that stand for boxes at the beginning of items, and what they say.
var pictured = []struct {
	glyph string
	box   byte
}{{"⬜", ' '}, {"☐", ' '}, {"🔲", ' '}, {"◻️", ' '}, {"✅", 'x'}, {"☑", 'x'}, {"✔", 'x'}, {"✓", 'x'}}

// pictures reads "- ⬜ index" as a box, but only in a document in which a picture of an open box begins an item: elsewhere
// "✅" is praise.
func (d *document) pictures() {
	open := false
	for i := range d.items {
		for _, p := range pictured {
			open = open || p.box == ' ' && d.items[i].box == 0 && strings.HasPrefix(d.items[i].raw, p.glyph)
		}
	}
	if !open {
		return
	}
	for i := range d.items {
		it := &d.items[i]
		for _, p := range pictured {
			rest, found := strings.CutPrefix(it.raw, p.glyph)
			rest = strings.TrimPrefix(rest, "\ufe0f")
			if !found || it.box != 0 || !strings.HasPrefix(rest, " ") {
				continue
			}
			rest = strings.TrimLeft(rest, " ")
			it.box, it.boxOff = p.box, it.off+1
			it.off += len(it.raw) - len(rest)
			it.raw = rest
		}
	}
}

// box takes a checkbox, and the time of an entry, off the beginning of an item.
func (d *document) box(it *item) {
	raw := it.raw
	c, inner, ok := boxed(raw)
	if !ok {
		return
	}
	rest := raw[inner+2:]
	star := strings.HasPrefix(rest, "*") && !strings.HasPrefix(rest, "**")
	if star {
		rest = rest[1:]
	}
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return
	}
	if c != 'X' && (c >= 'A' && c <= 'Z') || c >= '0' && c <= '9' || c == '\t' {
		return
	}
	it.box, it.boxOff, it.star = c, it.off+1, star
	rest = strings.TrimLeft(rest, " \t")
	it.raw = rest[len(timestamp.FindString(rest)):]
	it.off += len(raw) - len(it.raw)
}
