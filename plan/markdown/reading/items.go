package reading

import (
	"fmt"
	"strconv"
	"strings"

	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// AddItems adds a unit for each item in list. Its section reaches to the next of them, or to a
// heading.
func (r *Reading) AddItems(list []int) {
	d := r.Doc
	seen := map[string]int{}
	for k, i := range list {
		it := &d.Items[i]
		t := document.ItemTitle(it)
		if t.Label == "" {
			if t.Label, t.Name = document.ItemNumber(it); t.Label == "" {
				t.Label, t.Name = strconv.Itoa(k+1), inline.FirstLine(it.Raw)
			}
			t.Name = words.WithoutMarks(inline.Plain(t.Name))
		}
		u := section.Unit{
			Title: t, From: it.Line, To: d.Count() + 1, Own: i + 1, Offset: it.Offset,
			Raw: it.Raw,
		}
		if k+1 < len(list) {
			u.To = d.Items[list[k+1]].Line
		}
		for _, h := range d.HeadingsIn(it.Line, u.To) {
			u.To = h.Line
			break
		}
		if it.Box == 0 {
			u.To = min(u.To, it.End)
		}
		u.To = max(u.To, it.Line+1)
		u.Label, u.Name = t.Label, t.Name
		u.Pos, u.Width = d.Pos(it.Offset), len(inline.FirstLine(it.Raw))
		if u.Status = t.Status; it.Box != 0 {
			u.Status = words.BoxStatus(it.Box)
		}
		if at, twice := seen[words.NormalID(u.Label)]; twice && r.mergeBox(&r.Units[at], &u) {
			r.Units[at].OtherBoxes = append(r.Units[at].OtherBoxes, i)
			if at == len(r.Units)-1 {
				r.Units[at].To = u.To // the section goes on below its second box
			}
			continue
		}
		seen[words.NormalID(u.Label)] = len(r.Units)
		r.Units = append(r.Units, u)
	}
}

// WarnDoubt warns that the phases are a guess: what says where they were taken from, which names
// them.
func (r *Reading) WarnDoubt(what, which string) {
	if len(r.Units) > 0 {
		r.Warn("W-GUESSED", r.Units[0].Pos,
			"the phases are a guess: they are taken from "+what,
			"if "+which+" are not the phases, give each phase a heading such as \"## Phase 1: "+
				"Name\"")
	}
}

// AddNumberedBoxes adds a unit for every numbered box at the top level of lists in the lines [from,
// to). Its section reaches to the next one, or to a heading.
func (r *Reading) AddNumberedBoxes(from, to int) {
	d := r.Doc
	seen := map[string]int{}
	for i := range d.Items {
		it := &d.Items[i]
		if it.Box == 0 || it.Depth > 0 || it.Line < from || it.Line >= to {
			continue
		}
		label, name := document.ItemNumber(it)
		if label == "" || !words.IsTopNumber(label) {
			continue
		}
		u := section.Unit{From: it.Line, To: to, Own: i + 1, Offset: it.Offset, Raw: it.Raw}
		if at := document.NextBold(name); at > 0 {
			name = name[:at] // the next line is a statement about it
		}
		bare, asides := words.SplitAsides(words.WithoutMarks(inline.Plain(name)))
		u.Label, u.Name = label, bare
		u.Pos, u.Width = d.Pos(it.Offset), len(inline.FirstLine(it.Raw))
		u.Title = words.Title{Label: label, Name: bare, Asides: asides}
		if number, cut := strings.CutSuffix(label, ".0"); cut {
			u.Aliases = append(u.Aliases, number)
		}
		u.Status = words.BoxStatus(it.Box)
		for _, h := range d.HeadingsIn(it.Line, to) {
			u.To = h.Line
			break
		}
		if len(seen) > 0 {
			previous := &r.Units[len(r.Units)-1]
			previous.To = min(previous.To, it.Line)
		}
		if at, twice := seen[words.NormalID(label)]; twice && r.mergeBox(&r.Units[at], &u) {
			r.Units[at].OtherBoxes = append(r.Units[at].OtherBoxes, i)
			if at == len(r.Units)-1 {
				r.Units[at].To = u.To // the section goes on below its second box
			}
			continue
		}
		seen[words.NormalID(label)] = len(r.Units)
		r.Units = append(r.Units, u)
	}
}

// mergeBox merges a box into an earlier one of the same number and name.
func (r *Reading) mergeBox(earlier, u *section.Unit) bool {
	if inline.Words(earlier.Name) != inline.Words(u.Name) {
		return false
	}
	earlier.Status = words.MergeStatus(earlier.Status, u.Status)
	r.Warn("W-DUP", u.Pos,
		fmt.Sprintf("phase %s stands in two places, on lines %d and %d, which are read as one",
			u.Label, earlier.From, u.From), "")
	return true
}
