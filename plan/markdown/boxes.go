package markdown

import (
	"strings"
)

// pictures reads "- ⬜ index" as a box, but only where all items of the list have one and one of
// them is a box, not only ticks: elsewhere those are praise.
func (d *document) pictures() {
	type list struct{ parent, head int }
	in := func(it *item) list {
		if it.parent >= 0 {
			return list{it.parent, 0}
		}
		return list{-1, d.above(it.line).line}
	}
	other, boxes := map[list]bool{}, map[list]bool{}
	for i := range d.items {
		if _, size := pictureBox(d.items[i].raw); size > 0 && !hasAny(d.items[i].raw[:size], "✅", "✔", "✓") {
			boxes[in(&d.items[i])] = true
		}
	}
	if len(boxes) == 0 {
		return
	}
	for i := range d.items {
		if _, size := pictureBox(d.items[i].raw); size == 0 && d.items[i].box == 0 {
			other[in(&d.items[i])] = true
		}
	}
	for i := range d.items {
		it := &d.items[i]
		box, size := pictureBox(it.raw)
		if size == 0 || it.box != 0 || other[in(it)] || !boxes[in(it)] {
			continue
		}
		rest := strings.TrimLeft(strings.TrimPrefix(it.raw[size:], "\ufe0f"), " ")
		it.box, it.boxOffset, it.picture = box, it.offset+1, uint8(size)
		it.offset += len(it.raw) - len(rest)
		it.raw = rest
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
	it.box, it.boxOffset, it.star = c, it.offset+1, star
	rest = strings.TrimLeft(rest, " \t")
	it.raw = rest[len(timestampOf(rest)):]
	it.offset += len(raw) - len(it.raw)
}
