package markdown

import (
	"slices"
	"strings"

	"autobuild/plan"
)

// numbered is the number that an item begins with: "3" of "[ ] 3. Build it", or of "3. [ ] Build
// it".
func numbered(it *item) (label, name string) {
	if it.number != "" {
		return it.number, it.raw
	}
	label, rest := idAt(it.raw)
	if label == "" || !numeric(strings.TrimRight(label, "abcdefghijklmnopqrstuvwxyz")) || label[0] < '0' || label[0] > '9' {
		return "", ""
	}
	rest = strings.TrimLeft(rest, ".)")
	if rest != "" && rest[0] != ' ' && rest[0] != ':' {
		return "", ""
	}
	return label, strings.TrimLeft(rest, " :")
}

// itemTitle reads an item as a phase: with a kind word, or, where it has a box, with an id that is
// no plain number.
func itemTitle(it *item) title {
	if it.depth > 0 || it.quoted {
		return title{}
	}
	raw := strings.TrimSpace(it.raw)
	t := readTitle(raw)
	switch {
	case t.label == "", t.kind == "" && slices.Contains(notUnits, idPrefix(t.label)):
		return title{}
	case slices.Contains(unitKinds, t.kind):
		return t
	case t.kind != "", it.box == 0 && !statedItem(it, t):
		return title{}
	}
	bare := strings.TrimLeft(raw, "*_[ ")
	if strings.HasPrefix(bare, "#") || strings.HasPrefix(bare, t.label+".md") || !numeric(t.label) && strings.ContainsAny(t.label, "0123456789") && !shortTask(t.label) {
		return t
	}
	return title{}
}

// statedItem reports whether an item without a box is a phase: an id in bold, and what it waits
// for.
func statedItem(it *item, t title) bool {
	return strings.HasPrefix(strings.TrimSpace(it.raw), "**") && codeLike(t.label) && !slices.Contains(notUnits, idPrefix(t.label)) && relational(it.raw)
}

// boxID is the id that a box at the top of a list names together with a kind word, "" when it does
// not.
func (d *document) boxID(i int) string {
	if d.boxIDs == nil {
		d.boxIDs = make([]string, len(d.items))
		for k := range d.items {
			it := &d.items[k]
			if it.box == 0 || it.depth > 0 {
				continue
			}
			if kind, _ := plan.SplitKind(strings.TrimLeft(it.raw, "*_ ")); kind != "" {
				d.boxIDs[k] = normal(readTitle(firstLine(it.raw)).label)
			}
		}
	}
	return d.boxIDs[i]
}

// openBoxes counts the boxes that are work, not the criteria of the whole.
func (d *document) openBoxes() int {
	n := 0
	for i := range d.items {
		if d.items[i].box != 0 && !d.items[i].quoted && !d.general(d.items[i].line) {
			n++
		}
	}
	return n
}

// inTask reports whether an item is a box or stands below one. The box that is the phase itself, at
// own, is no task.
func (d *document) inTask(i, own int) bool {
	for ; i >= 0 && i != own; i = d.items[i].parent {
		if d.items[i].box != 0 {
			return true
		}
	}
	return false
}
