package reading

import (
	"fmt"

	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// Headings makes a unit of every heading that is one, except those within another, those of the
// first level beside deeper ones, and those that only repeat.
func (r *Reading) Headings(is func(*document.Heading) bool) {
	deeper := false
	for i := range r.Doc.Heads {
		if h := &r.Doc.Heads[i]; h.Level > 1 && is(h) {
			deeper = true
		}
	}
	level := r.commonLevel(is)
	seen := map[string]int{}
	within := 0 // the line up to which the current phase reaches
	for i := range r.Doc.Heads {
		h := &r.Doc.Heads[i]
		if !is(h) || (h.Level == 1 && deeper) || (h.Line < within && h.Level > level) {
			continue
		}
		id := words.Normal(h.Title.Label)
		if at, twice := seen[id]; twice && r.repeats(&r.Units[at], h, level) {
			continue
		}
		u := section.Unit{}
		u.Label = h.Title.Label
		r.Head(&u, h)
		if _, twice := seen[id]; !twice {
			seen[id] = len(r.Units)
		}
		r.Units = append(r.Units, u)
		within = h.End
	}
}

// commonLevel is the level that most of the headings have, and of equals the higher one.
func (r *Reading) commonLevel(is func(*document.Heading) bool) int {
	var count [7]int
	for i := range r.Doc.Heads {
		if h := &r.Doc.Heads[i]; is(h) && h.Level < len(count) {
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
func (r *Reading) repeats(first *section.Unit, h *document.Heading, level int) bool {
	same := inline.Words(first.Name) == inline.Words(h.Title.Name)
	if !same && h.Level == level && first.Level == level {
		return false
	}
	pos := r.Doc.HeadPos(h)
	r.Warn("W-DUP", pos, fmt.Sprintf("phase %s has two headings, on lines %d and %d, which are read as one", first.Label, first.From, h.Line), "")
	now, before := r.Doc.Work(h.Line, h.End), r.Doc.Work(first.From, r.Doc.EndOf(first.From))
	if (same && now > before) || (first.Level != level && h.Level == level && now >= before) {
		label := first.Label
		*first = section.Unit{}
		first.Label = label
		r.Head(first, h)
	}
	return true
}
