package reading

import (
	"slices"

	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// AddOtherHeadings adds the phases that have a heading beside those of the table, but no row in it.
func (r *Reading) AddOtherHeadings() {
	levels := map[int]bool{}
	have := map[int]bool{}
	for _, u := range r.Units {
		if u.From > 0 && u.Title.Kind == "phase" {
			levels[u.Level] = true
		}
		have[u.From] = true
	}
	var strays []section.Unit
	ids := map[string]bool{}
	for _, u := range r.Units {
		ids[words.NormalID(u.Label)] = true
	}
	for i := range r.Doc.Headings {
		h := &r.Doc.Headings[i]
		if h.Title.Kind != "phase" || !levels[h.Level] || have[h.Line] ||
			ids[words.NormalID(h.Title.Label)] {
			continue
		}
		u := section.Unit{}
		u.Label = h.Title.Label
		r.SetHeading(&u, h)
		ids[words.NormalID(u.Label)] = true
		strays = append(strays, u)
	}
	r.insertByPlace(strays)
}

// insertByPlace inserts each unit behind the last phase of the table whose section stands before
// its own.
func (r *Reading) insertByPlace(strays []section.Unit) {
	if len(strays) == 0 {
		return
	}
	after := map[int][]section.Unit{}
	for _, u := range strays {
		at := -1
		for i := range r.Units {
			if r.Units[i].From > 0 && r.Units[i].From < u.From {
				at = i
			}
		}
		after[at] = append(after[at], u)
	}
	all := slices.Clone(after[-1])
	for i, u := range r.Units {
		all = append(append(all, u), after[i]...)
	}
	r.Units = all
}
