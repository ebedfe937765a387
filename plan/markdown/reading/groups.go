package reading

import (
	"sort"

	"autobuild/plan/markdown/document"
)

// addGroups notes for each phase the headings around it that have a kind and an id and are no
// phases: "Epic 2". It is linear in the headings, and is called once.
func (r *Reading) addGroups() {
	phases := map[int]bool{}
	for i := range r.Units {
		if r.Units[i].Own == 0 {
			phases[r.Units[i].From] = true
		}
	}
	var open []document.Heading
	around := make([][]string, len(r.Doc.Headings))
	found := false
	for i, h := range r.Doc.Headings {
		for len(open) > 0 && open[len(open)-1].Level >= h.Level {
			open = open[:len(open)-1]
		}
		open = append(open, h)
		for _, outer := range open {
			if t := outer.Title; t.Kind != "" && t.Label != "" && !phases[outer.Line] {
				around[i] = append(around[i], t.Kind+" "+t.Label)
				found = true
			}
		}
	}
	for i := range r.Units {
		u := &r.Units[i]
		line := u.RowLine
		if u.From > 0 {
			line = u.From
		}
		at := sort.Search(len(r.Doc.Headings),
			func(k int) bool { return r.Doc.Headings[k].Line > line }) - 1
		if found && line > 0 && at >= 0 {
			u.Around = around[at]
		}
	}
}
