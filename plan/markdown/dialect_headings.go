package markdown

import (
	"fmt"
	"strings"

	"autobuild/plan"
)

// sections is the form of headings that are only numbered, "### 1. Add the parser", below one that announces
// them, such as "Implementation Steps".
type sections struct{}

func (sections) name() string { return "sections" }

func (sections) signs(d *document) bool { return len(stepSections(d)) >= 2 }

func (sections) read(r *reading) {
	lines := stepSections(r.doc)
	r.headings(func(h *heading) bool { return lines[h.line] })
}

// stepSections finds the numbered headings below an announcement, by line.
func stepSections(d *document) map[int]bool {
	for _, above := range d.heads {
		w := words(above.text)
		if above.title.label != "" || !hasAny(w, "implementation", "steps", "tasks", "phases", "work plan", "execution plan", "action plan") {
			continue
		}
		lines := map[int]bool{}
		for _, h := range d.headsIn(above.line+1, above.end) {
			if h.level == above.level+1 && h.title.kind == "" && numeric(h.title.label) && h.title.sep != "" {
				lines[h.line] = true
			}
		}
		if len(lines) >= 2 {
			return lines
		}
	}
	return nil
}

// itemized is the form of phases that are list items: "1. **Phase 1: Set up**" with what is to be done below.
type itemized struct{}

func (itemized) name() string { return "list" }

func (itemized) signs(d *document) bool {
	count := 0
	for i := range d.items {
		if itemTitle(&d.items[i]).label != "" {
			count++
		}
	}
	return count >= 2
}

func itemTitle(it *item) title {
	if it.depth > 0 || it.quoted {
		return title{}
	}
	if t := readTitle(strings.TrimSpace(it.raw)); among(unitKinds, t.kind) {
		return t
	}
	return title{}
}

func (itemized) read(r *reading) {
	d := r.doc
	for i := range d.items {
		it := &d.items[i]
		t := itemTitle(it)
		if t.label == "" {
			continue
		}
		u := unit{title: t, from: it.line, to: it.end, own: i + 1, off: it.off, raw: it.raw}
		u.Label, u.Name = t.label, t.name
		u.Pos, u.Width = d.pos(it.off), len(firstLine(it.raw))
		if u.Status = t.status; it.box != 0 {
			u.Status = boxStatus(it.box)
		}
		r.units = append(r.units, u)
	}
}

// headed is the plain form: one heading a phase, whatever the word for it.
type headed struct{}

func (headed) name() string { return "headings" }

// unitKinds are the words that head a phase, the larger units first: in a plan of phases that hold tasks,
// the phases are the units.
var unitKinds = []string{
	"phase", "task group", "milestone", "stage", "sprint", "wave", "story", "user story", "epic", "iteration", "step", "session", "group", "task", "part", "section",
}

func (headed) signs(d *document) bool { return headKind(d) != "" }

// headKind is the kind of heading that stands for phases: the first of unitKinds that the document has, at
// least twice if it can be. Headings that mostly stand below those of another kind are parts of these: the steps
// of a task are no phases. Phases and stories are, also below milestones and epics.
func headKind(d *document) string {
	count, inside := map[string]int{}, map[string]int{}
	var open []heading
	for _, h := range d.heads {
		for len(open) > 0 && open[len(open)-1].level >= h.level {
			open = open[:len(open)-1]
		}
		if kind := h.title.kind; kind != "" && h.level > 1 {
			count[kind]++
			for _, outer := range open {
				if outer.title.kind != kind {
					inside[kind]++
					break
				}
			}
			open = append(open, h)
		} else if kind != "" {
			count[kind] += 0
		}
	}
	for _, least := range []int{2, 1, 0} {
		for _, kind := range unitKinds {
			part := kind != "phase" && kind != "story" && inside[kind]*2 > count[kind]
			if n, have := count[kind]; have && n >= least && !part {
				if kind == "wave" && inside["task"] >= 2 {
					return "task" // a wave is only when; what is to be done are its tasks
				}
				return kind
			}
		}
	}
	return ""
}

func (headed) read(r *reading) {
	kind := headKind(r.doc)
	r.headings(func(h *heading) bool { return kind != "" && h.title.kind == kind })
}

// headings makes a unit of every heading that is one, except those within another, those of the first level
// beside deeper ones, and those that only repeat.
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

// repeats reports whether a heading only mentions a phase again: it stands on another level than phases do,
// or has the same name. Of two such headings the one with the longer section is the phase.
func (r *reading) repeats(first *unit, h *heading, level int) bool {
	same := words(first.Name) == words(h.title.name)
	if !same && h.level == level && first.level == level {
		return false
	}
	pos := r.doc.headPos(h)
	r.warn("W-DUP", pos, fmt.Sprintf("phase %s has two headings, on lines %d and %d, which are read as one", first.Label, first.from, h.line), "")
	longer := h.end-h.line > r.doc.endOf(first.from)-first.from
	if (same && longer && h.level <= first.level) || (first.level != level && h.level == level) {
		label := first.Label
		*first = unit{}
		first.Label = label
		r.head(first, h)
	}
	return true
}

// endOf is the end of the section whose heading is on a line.
func (d *document) endOf(line int) int {
	for _, h := range d.headsIn(line, line+1) {
		return h.end
	}
	return line
}

// normal is the id of a label, or "" when it has none.
func normal(label string) string {
	id, err := plan.NormalID(label)
	if err != nil {
		return ""
	}
	return id
}
