package markdown

import (
	"fmt"
	"strconv"
	"strings"

	"autobuild/plan/markdown/document"

	"autobuild/plan/markdown/words"

	"autobuild/plan/markdown/inline"
)

// items makes a unit of each of some items. A section reaches to the next of them, or to a heading.
func (r *reading) items(list []int) {
	d := r.doc
	seen := map[string]int{}
	for k, i := range list {
		it := &d.Items[i]
		t := document.ItemTitle(it)
		if t.Label == "" {
			if t.Label, t.Name = document.Numbered(it); t.Label == "" {
				t.Label, t.Name = strconv.Itoa(k+1), inline.FirstLine(it.Raw)
			}
			t.Name = words.WithoutMarks(inline.Plain(t.Name))
		}
		u := unit{title: t, from: it.Line, to: d.Count() + 1, own: i + 1, offset: it.Offset, raw: it.Raw}
		if k+1 < len(list) {
			u.to = d.Items[list[k+1]].Line
		}
		for _, h := range d.HeadsIn(it.Line, u.to) {
			u.to = h.Line
			break
		}
		if it.Box == 0 {
			u.to = min(u.to, it.End)
		}
		u.to = max(u.to, it.Line+1)
		u.Label, u.Name = t.Label, t.Name
		u.Pos, u.Width = d.Pos(it.Offset), len(inline.FirstLine(it.Raw))
		if u.Status = t.Status; it.Box != 0 {
			u.Status = words.BoxStatus(it.Box)
		}
		if at, twice := seen[words.Normal(u.Label)]; twice && r.sameBox(&r.units[at], &u) {
			r.units[at].twins = append(r.units[at].twins, i)
			if at == len(r.units)-1 {
				r.units[at].to = u.to // the section goes on below its second box
			}
			continue
		}
		seen[words.Normal(u.Label)] = len(r.units)
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
	for i := range d.Items {
		it := &d.Items[i]
		if it.Box == 0 || it.Depth > 0 || it.Line < from || it.Line >= to {
			continue
		}
		label, name := document.Numbered(it)
		if label == "" || !words.NumbersWhole(label) {
			continue
		}
		u := unit{from: it.Line, to: to, own: i + 1, offset: it.Offset, raw: it.Raw}
		if at := document.NextBold(name); at > 0 {
			name = name[:at] // the next line is a statement about it
		}
		bare, asides := words.Undecorated(words.WithoutMarks(inline.Plain(name)))
		u.Label, u.Name = label, bare
		u.Pos, u.Width = d.Pos(it.Offset), len(inline.FirstLine(it.Raw))
		u.title = words.Title{Label: label, Name: bare, Asides: asides}
		if number, cut := strings.CutSuffix(label, ".0"); cut {
			u.Aliases = append(u.Aliases, number)
		}
		u.Status = words.BoxStatus(it.Box)
		for _, h := range d.HeadsIn(it.Line, to) {
			u.to = h.Line
			break
		}
		if len(seen) > 0 {
			previous := &r.units[len(r.units)-1]
			previous.to = min(previous.to, it.Line)
		}
		if at, twice := seen[words.Normal(label)]; twice && r.sameBox(&r.units[at], &u) {
			r.units[at].twins = append(r.units[at].twins, i)
			if at == len(r.units)-1 {
				r.units[at].to = u.to // the section goes on below its second box
			}
			continue
		}
		seen[words.Normal(label)] = len(r.units)
		r.units = append(r.units, u)
	}
}

// sameBox merges a box into an earlier one of the same number and name.
func (r *reading) sameBox(earlier, u *unit) bool {
	if inline.Words(earlier.Name) != inline.Words(u.Name) {
		return false
	}
	earlier.Status = words.MergedStatus(earlier.Status, u.Status)
	r.warn("W-DUP", u.Pos, fmt.Sprintf("phase %s stands in two places, on lines %d and %d, which are read as one", u.Label, earlier.from, u.from), "")
	return true
}
