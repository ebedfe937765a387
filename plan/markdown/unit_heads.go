package markdown

import "fmt"

// headings makes a unit of every heading that is one, except those within another, those of the
// first level beside deeper ones, and those that only repeat.
func (r *reading) headings(is func(*heading) bool) {
	deeper := false
	for i := range r.doc.heads {
		if h := &r.doc.heads[i]; h.level > 1 && is(h) {
			deeper = true
		}
	}
	level := r.commonLevel(is)
	seen := map[string]int{}
	within := 0 // the line up to which the current phase reaches
	for i := range r.doc.heads {
		h := &r.doc.heads[i]
		if !is(h) || (h.level == 1 && deeper) || (h.line < within && h.level > level) {
			continue
		}
		id := normal(h.title.label)
		if at, twice := seen[id]; twice && r.repeats(&r.units[at], h, level) {
			continue
		}
		u := unit{}
		u.Label = h.title.label
		r.head(&u, h)
		if _, twice := seen[id]; !twice {
			seen[id] = len(r.units)
		}
		r.units = append(r.units, u)
		within = h.end
	}
}

// commonLevel is the level that most of the headings have, and of equals the higher one.
func (r *reading) commonLevel(is func(*heading) bool) int {
	var count [7]int
	for i := range r.doc.heads {
		if h := &r.doc.heads[i]; is(h) && h.level < len(count) {
			count[h.level]++
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
func (r *reading) repeats(first *unit, h *heading, level int) bool {
	same := words(first.Name) == words(h.title.name)
	if !same && h.level == level && first.level == level {
		return false
	}
	pos := r.doc.headPos(h)
	r.warn("W-DUP", pos, fmt.Sprintf("phase %s has two headings, on lines %d and %d, which are read as one", first.Label, first.from, h.line), "")
	now, before := r.doc.work(h.line, h.end), r.doc.work(first.from, r.doc.endOf(first.from))
	if (same && now > before) || (first.level != level && h.level == level && now >= before) {
		label := first.Label
		*first = unit{}
		first.Label = label
		r.head(first, h)
	}
	return true
}
