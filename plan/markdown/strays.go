package markdown

import (
	"slices"

	"autobuild/plan/markdown/words"
)

// strays adds the phases that have a heading beside those of the table, but no row in it.
func (r *reading) strays() {
	levels := map[int]bool{}
	have := map[int]bool{}
	for _, u := range r.units {
		if u.from > 0 && u.title.Kind == "phase" {
			levels[u.level] = true
		}
		have[u.from] = true
	}
	var strays []unit
	ids := map[string]bool{}
	for _, u := range r.units {
		ids[words.Normal(u.Label)] = true
	}
	for i := range r.doc.Heads {
		h := &r.doc.Heads[i]
		if h.Title.Kind != "phase" || !levels[h.Level] || have[h.Line] || ids[words.Normal(h.Title.Label)] {
			continue
		}
		u := unit{}
		u.Label = h.Title.Label
		r.head(&u, h)
		ids[words.Normal(u.Label)] = true
		strays = append(strays, u)
	}
	r.insert(strays)
}

// insert puts each stray behind the last phase of the table whose section stands before its own.
func (r *reading) insert(strays []unit) {
	if len(strays) == 0 {
		return
	}
	after := map[int][]unit{}
	for _, u := range strays {
		at := -1
		for i := range r.units {
			if r.units[i].from > 0 && r.units[i].from < u.from {
				at = i
			}
		}
		after[at] = append(after[at], u)
	}
	all := slices.Clone(after[-1])
	for i, u := range r.units {
		all = append(append(all, u), after[i]...)
	}
	r.units = all
}
