package markdown

import (
	"fmt"
	"strconv"
	"strings"
)

// items makes a unit of each of some items. A section reaches to the next of them, or to a heading.
func (r *reading) items(list []int) {
	d := r.doc
	seen := map[string]int{}
	for k, i := range list {
		it := &d.items[i]
		t := itemTitle(it)
		if t.label == "" {
			if t.label, t.name = numbered(it); t.label == "" {
				t.label, t.name = strconv.Itoa(k+1), firstLine(it.raw)
			}
			t.name = withoutMarks(plain(t.name))
		}
		u := unit{title: t, from: it.line, to: d.count() + 1, own: i + 1, offset: it.offset, raw: it.raw}
		if k+1 < len(list) {
			u.to = d.items[list[k+1]].line
		}
		for _, h := range d.headsIn(it.line, u.to) {
			u.to = h.line
			break
		}
		if it.box == 0 {
			u.to = min(u.to, it.end)
		}
		u.to = max(u.to, it.line+1)
		u.Label, u.Name = t.label, t.name
		u.Pos, u.Width = d.pos(it.offset), len(firstLine(it.raw))
		if u.Status = t.status; it.box != 0 {
			u.Status = boxStatus(it.box)
		}
		if at, twice := seen[normal(u.Label)]; twice && r.sameBox(&r.units[at], &u) {
			r.units[at].twins = append(r.units[at].twins, i)
			if at == len(r.units)-1 {
				r.units[at].to = u.to // the section goes on below its second box
			}
			continue
		}
		seen[normal(u.Label)] = len(r.units)
		r.units = append(r.units, u)
	}
}

// guessed says that nothing but a numbering made the phases.
func (r *reading) guessed(what, which string) {
	if len(r.units) > 0 {
		r.warn("W-GUESSED", r.units[0].Pos, "the phases are taken from "+what+", because nothing else looks like phases",
			"if "+which+" are not the phases, give each phase a heading such as \"## Phase 1: Name\"")
	}
}

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
		u := unit{from: it.line, to: to, own: i + 1, offset: it.offset, raw: it.raw}
		if at := nextBold(name); at > 0 {
			name = name[:at] // the next line is a statement about it
		}
		bare, asides := undecorated(withoutMarks(plain(name)))
		u.Label, u.Name = label, bare
		u.Pos, u.Width = d.pos(it.offset), len(firstLine(it.raw))
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
