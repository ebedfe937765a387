package document

import (
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/words"
)

// ItemNumber is the number that an item begins with: "3" of "[ ] 3. Build it", or of "3. [ ] Build
// it".
func ItemNumber(it *Item) (label, name string) {
	if it.Number != "" {
		return it.Number, it.Raw
	}
	label, rest := words.IDAt(it.Raw)
	if label == "" || !words.IsNumeric(strings.TrimRight(label, "abcdefghijklmnopqrstuvwxyz")) ||
		label[0] < '0' || label[0] > '9' {
		return "", ""
	}
	rest = strings.TrimLeft(rest, ".)")
	if rest != "" && rest[0] != ' ' && rest[0] != ':' {
		return "", ""
	}
	return label, strings.TrimLeft(rest, " :")
}

// ItemTitle reads an item as a phase: with a kind word, or, where it has a box, with an id that is
// no plain number.
func ItemTitle(it *Item) words.Title {
	if it.Depth > 0 || it.Quoted {
		return words.Title{}
	}
	if it.Series != nil {
		return *it.Series
	}
	raw := strings.TrimSpace(it.Raw)
	t := words.ReadTitle(raw)
	switch {
	case t.Label == "", t.Kind == "" &&
		slices.Contains(words.NotPhasePrefixes, words.IDPrefix(t.Label)):
		return words.Title{}
	case slices.Contains(words.UnitKinds, t.Kind):
		return t
	case t.Kind != "", it.Box == 0 && !statedItem(it, t):
		return words.Title{}
	}
	bare := strings.TrimLeft(raw, "*_[ ")
	if strings.HasPrefix(bare, "#") || strings.HasPrefix(bare, t.Label+".md") ||
		!words.IsNumeric(t.Label) && strings.ContainsAny(t.Label, "0123456789") &&
			!words.IsShortTask(t.Label) {
		return t
	}
	return words.Title{}
}

// statedItem reports whether an item without a box is a phase: an id in bold, and what it waits
// for.
func statedItem(it *Item, t words.Title) bool {
	return strings.HasPrefix(strings.TrimSpace(it.Raw), "**") && words.CodeLike(t.Label) &&
		!slices.Contains(words.NotPhasePrefixes, words.IDPrefix(t.Label)) &&
		words.HasRelation(it.Raw)
}

// BoxID is the id that a box at the top of a list names together with a kind word, "" when it does
// not.
func (d *Document) BoxID(i int) string {
	if d.boxIDs == nil {
		d.boxIDs = make([]string, len(d.Items))
		for k := range d.Items {
			it := &d.Items[k]
			if it.Box == 0 || it.Depth > 0 {
				continue
			}
			if kind, _ := plan.SplitKind(strings.TrimLeft(it.Raw, "*_ ")); kind != "" {
				d.boxIDs[k] = words.NormalID(words.ReadTitle(inline.FirstLine(it.Raw)).Label)
			}
		}
	}
	return d.boxIDs[i]
}

// CountWorkBoxes counts the boxes that are work, not the criteria of the whole.
func (d *Document) CountWorkBoxes() int {
	n := 0
	for i := range d.Items {
		if d.Items[i].Box != 0 && !d.Items[i].Quoted && !d.IsAboutPlan(d.Items[i].Line) {
			n++
		}
	}
	return n
}

// InTask reports whether an item is a box or stands below one. The box that is the phase itself, at
// own, is no task.
func (d *Document) InTask(i, own int) bool {
	for ; i >= 0 && i != own; i = d.Items[i].Parent {
		if d.Items[i].Box != 0 {
			return true
		}
	}
	return false
}

func leadingNumber(line string) string {
	line = strings.TrimLeft(line, " \t>")
	end := 0
	for end < len(line) && line[end] >= '0' && line[end] <= '9' {
		end++
	}
	return line[:end]
}
