package markdown

import (
	"fmt"

	"autobuild/plan/markdown/document"

	"autobuild/plan/markdown/words"

	"autobuild/plan/markdown/inline"
)

// headings makes a unit of every heading that is one, except those within another, those of the
// first level beside deeper ones, and those that only repeat.
func (r *reading) headings(is func(*document.Heading) bool) {
	deeper := false
	for i := range r.doc.Heads {
		if h := &r.doc.Heads[i]; h.Level > 1 && is(h) {
			deeper = true
		}
	}
	level := r.commonLevel(is)
	seen := map[string]int{}
	within := 0 // the line up to which the current phase reaches
	for i := range r.doc.Heads {
		h := &r.doc.Heads[i]
		if !is(h) || (h.Level == 1 && deeper) || (h.Line < within && h.Level > level) {
			continue
		}
		id := words.Normal(h.Title.Label)
		if at, twice := seen[id]; twice && r.repeats(&r.units[at], h, level) {
			continue
		}
		u := unit{}
		u.Label = h.Title.Label
		r.head(&u, h)
		if _, twice := seen[id]; !twice {
			seen[id] = len(r.units)
		}
		r.units = append(r.units, u)
		within = h.End
	}
}

// commonLevel is the level that most of the headings have, and of equals the higher one.
func (r *reading) commonLevel(is func(*document.Heading) bool) int {
	var count [7]int
	for i := range r.doc.Heads {
		if h := &r.doc.Heads[i]; is(h) && h.Level < len(count) {
			count[h.Level]++
		}
	}
	best := 2
	for level := 1; level < len(count); level++ {
		if count[level] > count[best] {
			best = level
		}
	}
	return best
}

// repeats reports whether a heading only mentions a phase again: it stands on another level than
// phases do, or has the same name. Of two such headings the one with the longer section is the
// phase.
func (r *reading) repeats(first *unit, h *document.Heading, level int) bool {
	same := inline.Words(first.Name) == inline.Words(h.Title.Name)
	if !same && h.Level == level && first.level == level {
		return false
	}
	pos := r.doc.HeadPos(h)
	r.warn("W-DUP", pos, fmt.Sprintf("phase %s has two headings, on lines %d and %d, which are read as one", first.Label, first.from, h.Line), "")
	now, before := r.doc.Work(h.Line, h.End), r.doc.Work(first.from, r.doc.EndOf(first.from))
	if (same && now > before) || (first.level != level && h.Level == level && now >= before) {
		label := first.Label
		*first = unit{}
		first.Label = label
		r.head(first, h)
	}
	return true
}
