package reading

import (
	"fmt"
	"slices"

	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// AddHeadings adds a unit for every heading for which is reports true. It skips headings within the
// section of another unit, of the first level where there are deeper ones, and repeated ones.
func (r *Reading) AddHeadings(is func(*document.Heading) bool) {
	deeper := 0
	for i := range r.Doc.Headings {
		if h := &r.Doc.Headings[i]; h.Level > 1 && is(h) {
			deeper++
		}
	}
	r.Units = slices.Grow(r.Units, deeper)
	level := r.commonLevel(is)
	seen := map[string]int{}
	within := 0 // the line up to which the current phase reaches
	for i := range r.Doc.Headings {
		h := &r.Doc.Headings[i]
		if !is(h) || (h.Level == 1 && deeper > 0) || (h.Line < within && h.Level > level) {
			continue
		}
		id := words.NormalID(h.Title.Label)
		if at, twice := seen[id]; twice && r.mergeHeading(&r.Units[at], h, level) {
			continue
		}
		u := section.Unit{}
		u.Label = h.Title.Label
		r.SetHeading(&u, h)
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
	for i := range r.Doc.Headings {
		if h := &r.Doc.Headings[i]; is(h) && h.Level < len(count) {
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

// bothWork reports whether a heading and that on a line before it stand in different sections, and
// both have boxes.
func (r *Reading) bothWork(line int, h *document.Heading) bool {
	first := r.Doc.HeadingAbove(line + 1)
	return r.Doc.ParentHeading(first).Line != r.Doc.ParentHeading(*h).Line &&
		r.Doc.HasBoxIn(line, first.End) && r.Doc.HasBoxIn(h.Line, h.End)
}

// mergeHeading reports whether a heading only mentions a phase again: it stands on another level
// than phases do, or has the same name. Of two such headings the one with the longer section is the
// phase. Headings of one name with boxes in two groups are two phases.
func (r *Reading) mergeHeading(first *section.Unit, h *document.Heading, level int) bool {
	same := inline.Words(first.Name) == inline.Words(h.Title.Name)
	if h.Level == level && first.Level == level && (!same || r.bothWork(first.From, h)) {
		return false
	}
	pos := r.Doc.HeadingPos(h)
	r.Warn("W-DUP", pos,
		fmt.Sprintf("phase %s has two headings, on lines %d and %d, which are read as one",
			first.Label, first.From, h.Line), "")
	now, before := r.Doc.WorkIn(h.Line, h.End),
		r.Doc.WorkIn(first.From, r.Doc.SectionEnd(first.From))
	if (same && now > before) || (first.Level != level && h.Level == level && now >= before) {
		label := first.Label
		*first = section.Unit{}
		first.Label = label
		r.SetHeading(first, h)
	}
	return true
}
