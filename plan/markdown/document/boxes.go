package document

import (
	"strings"

	"autobuild/plan/markdown/inline"
)

// pictures reads "- ⬜ index" as a box, but only where all items of the list have one and at least
// one is not ticked. Elsewhere a tick is decoration.
func (d *Document) pictures() {
	type list struct{ parent, head int }
	in := func(it *Item) list {
		if it.Parent >= 0 {
			return list{it.Parent, 0}
		}
		return list{-1, d.HeadingAbove(it.Line).Line}
	}
	other, boxes := map[list]bool{}, map[list]bool{}
	for i := range d.Items {
		if _, size := inline.EmojiBox(d.Items[i].Raw); size > 0 &&
			!strings.ContainsAny(d.Items[i].Raw[:size], "✅✔✓") {
			boxes[in(&d.Items[i])] = true
		}
	}
	if len(boxes) == 0 {
		return
	}
	for i := range d.Items {
		if _, size := inline.EmojiBox(d.Items[i].Raw); size == 0 && d.Items[i].Box == 0 {
			other[in(&d.Items[i])] = true
		}
	}
	for i := range d.Items {
		it := &d.Items[i]
		box, size := inline.EmojiBox(it.Raw)
		if size == 0 || it.Box != 0 || other[in(it)] || !boxes[in(it)] {
			continue
		}
		rest := strings.TrimLeft(strings.TrimPrefix(it.Raw[size:], "\ufe0f"), " ")
		it.Box, it.BoxOffset, it.EmojiSize = box, it.Offset+1, uint8(size)
		it.Offset += len(it.Raw) - len(rest)
		it.Raw = rest
	}
}

// box cuts a checkbox, and a timestamp behind it, from the beginning of an item.
func (d *Document) box(it *Item) {
	raw := it.Raw
	c, inner, ok := inline.LeadingBox(raw)
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
	it.Box, it.BoxOffset, it.Optional = c, it.Offset+1, star
	rest = strings.TrimLeft(rest, " \t")
	it.Raw = rest[len(inline.LeadingTimestamp(rest)):]
	it.Offset += len(raw) - len(it.Raw)
}
