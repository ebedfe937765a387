package reading

import (
	"sort"

	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/words"
)

// addGroups notes for each phase the headings around it that have a kind and an id and are no
// phases: "Epic 2". It is linear in the headings, and is called once.
func (r *Reading) addGroups() {
	phases := make([]bool, r.Doc.Count()+2)
	for i := range r.Units {
		if r.Units[i].Own == 0 {
			phases[r.Units[i].From] = true
		}
	}
	var groups []document.Heading
	var outer []int // by group: the one around it, -1 for none
	at := func(line int) int {
		k := len(groups) - 1
		if len(groups) > 0 && groups[k].Line >= line {
			k = sort.Search(len(groups), func(k int) bool { return groups[k].Line >= line }) - 1
		}
		for k >= 0 && groups[k].End <= line {
			k = outer[k]
		}
		return k
	}
	for _, h := range r.Doc.Headings {
		if t := h.Title; t.Label != "" && (t.Kind != "" || words.CodeLike(t.Label)) && !phases[h.Line] {
			outer = append(outer, at(h.Line))
			groups = append(groups, h)
		}
	}
	for i := range r.Units {
		u := &r.Units[i]
		line := u.RowLine
		if u.From > 0 {
			line = u.From
		}
		for k := at(line); k >= 0 && line > 0; k = outer[k] {
			u.Around = append(u.Around, words.Prefixed(groups[k].Title.Kind+" ", groups[k].Title.Label))
		}
	}
}
