package markdown

import (
	"fmt"
	"strings"

	"autobuild/plan"
)

// kiro is a task list of numbered boxes, with sub-tasks numbered 1.1 or indented below.
type kiro struct{}

func (kiro) name() string { return "kiro" }

// signs holds for boxes that are numbered through the document: lists that begin again at 1 in
// every section are the tasks of phases, and a table of phases is more to the point than any list.
func (kiro) signs(d *document) bool {
	top, sub, again := 0, 0, 0
	seen := map[string]bool{}
	for i := range d.items {
		it := &d.items[i]
		if it.box == 0 {
			continue
		}
		label, _ := numbered(it)
		switch {
		case label == "":
		case strings.Contains(label, "."):
			sub++
		case it.depth == 0:
			top++
			if seen[label] {
				again++
			}
			seen[label] = true
		}
	}
	if top < 2 || again*4 > top || len(d.phaseTables()) > 0 {
		return false
	}
	return sub > 0 || strings.Contains(d.text, "_Requirements:") || strings.Contains(d.text, "_Leverage:")
}

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

func (kiro) read(r *reading) { r.checklist(0, r.doc.count()+1) }

// numbersWhole reports whether a number is that of a whole and not of a part: 2 and 2.0, not 2.1.
func numbersWhole(label string) bool { return !strings.Contains(strings.TrimSuffix(label, ".0"), ".") }

// checklist makes a unit of every numbered box at the top level between two lines. Its section
// reaches to the next one, or to a heading.
func (r *reading) checklist(from, to int) {
	d := r.doc
	seen := map[string]int{}
	for i := range d.items {
		it := &d.items[i]
		if it.box == 0 || it.depth > 0 || it.line < from || it.line >= to {
			continue
		}
		label, name := numbered(it)
		if label == "" || !numbersWhole(label) {
			continue
		}
		u := unit{from: it.line, to: to, own: i + 1, off: it.off, raw: it.raw}
		if at := nextBold(name); at > 0 {
			name = name[:at] // the next line is a statement about it
		}
		bare, asides := undecorated(withoutMarks(plain(name)))
		u.Label, u.Name = label, bare
		u.Pos, u.Width = d.pos(it.off), len(firstLine(it.raw))
		u.title = title{label: label, name: bare, asides: asides}
		if number, cut := strings.CutSuffix(label, ".0"); cut {
			u.Aliases = append(u.Aliases, number)
		}
		u.Status = boxStatus(it.box)
		for _, h := range d.headsIn(it.line, to) {
			u.to = h.line
			break
		}
		if len(seen) > 0 {
			previous := &r.units[len(r.units)-1]
			previous.to = min(previous.to, it.line)
		}
		if at, twice := seen[normal(label)]; twice && r.sameBox(&r.units[at], &u) {
			r.units[at].twins = append(r.units[at].twins, i)
			if at == len(r.units)-1 {
				r.units[at].to = u.to // the section goes on below its second box
			}
			continue
		}
		seen[normal(label)] = len(r.units)
		r.units = append(r.units, u)
	}
}

// sameBox merges a box into an earlier one of the same number and name.
func (r *reading) sameBox(earlier, u *unit) bool {
	if words(earlier.Name) != words(u.Name) {
		return false
	}
	earlier.Status = mergedStatus(earlier.Status, u.Status)
	r.warn("W-DUP", u.Pos, fmt.Sprintf("phase %s stands in two places, on lines %d and %d, which are read as one", u.Label, earlier.from, u.from), "")
	return true
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// boxStatus is what a box says about the thing it stands for.
func boxStatus(box byte) plan.Status {
	switch box {
	case 'x', 'X':
		return plan.StatusDone
	case '~', '-', '/':
		return plan.StatusInProgress
	case 'b', '!':
		return plan.StatusBlocked
	}
	return plan.StatusTodo
}

// numberedBoxes is the last resort: numbered boxes without anything else to tell them by.
type numberedBoxes struct{}

func (numberedBoxes) name() string { return "checklist" }

func (numberedBoxes) signs(d *document) bool {
	top := 0
	for i := range d.items {
		if label, _ := numbered(&d.items[i]); label != "" && d.items[i].box != 0 && d.items[i].depth == 0 && numbersWhole(label) {
			top++
		}
	}
	return top >= 2
}

func (numberedBoxes) prior(*document) int { return 8 }

func (numberedBoxes) read(r *reading) { r.checklist(0, r.doc.count()+1) }
