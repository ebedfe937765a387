package document

import (
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/words"
)

// HeadingKinds counts the headings of each kind.
func (d *Document) HeadingKinds() map[string]int {
	if d.kindCount == nil {
		d.kindCount = map[string]int{}
		for i := range d.Headings {
			if t := &d.Headings[i].Title; t.Kind != "" && t.Label != "" {
				d.kindCount[t.Kind]++
			}
		}
	}
	return d.kindCount
}

// PhaseKind is the kind of heading that stands for phases, "" when there is none. It is found once.
func (d *Document) PhaseKind() string {
	if d.phaseKind == nil {
		kind := findPhaseKind(d)
		d.phaseKind = &kind
	}
	return *d.phaseKind
}

// findPhaseKind finds the kind of heading that stands for phases: the first of words.UnitKinds that
// the document has, at least twice if it can be. Headings that mostly stand below those of another
// kind are parts of these: the steps of a task are no phases. Phases and stories are, also below
// milestones and epics.
func findPhaseKind(d *Document) string {
	count, inside := map[string]int{}, map[string]int{}
	var open []Heading
	for _, h := range d.Headings {
		for len(open) > 0 && open[len(open)-1].Level >= h.Level {
			open = open[:len(open)-1]
		}
		if kind := h.Title.Kind; kind != "" && h.Level > 1 {
			count[kind]++
			for _, outer := range open {
				if outer.Title.Kind != kind &&
					!slices.Contains(words.GroupKinds, outer.Title.Kind) {
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
		for _, kind := range words.UnitKinds {
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

// WorkIn rates the work in the lines [from, to): 1000 for each box and each label of dependencies,
// and up to 999 for the number of lines.
func (d *Document) WorkIn(from, to int) int {
	work := min(to-from, 999)
	for _, it := range d.ItemsIn(from, to) {
		if it.Box != 0 {
			work += 1000
		}
	}
	for _, l := range d.LabelsIn(from, to) {
		if words.IsNeedLabel(l.Name) {
			work += 1000
		}
	}
	return work
}

// SectionEnd is the end of the section whose heading is on a line.
func (d *Document) SectionEnd(line int) int {
	for _, h := range d.HeadingsIn(line, line+1) {
		return h.End
	}
	return line
}

// HeadingPos is the place of a heading's text.
func (d *Document) HeadingPos(h *Heading) plan.Pos { return d.Pos(h.Offset) }

// HeadingAbove is the heading that a line stands under.
func (d *Document) HeadingAbove(line int) Heading {
	heads := d.HeadingsIn(0, line)
	if len(heads) == 0 {
		return Heading{}
	}
	return heads[len(heads)-1]
}

// GroupOf is the text of the heading that a line stands under. A heading stands under that of the
// section around it.
func (d *Document) GroupOf(line int) string {
	h := d.HeadingAbove(line + 1)
	if h.Line == line {
		h = d.ParentHeading(h)
	}
	return inline.Plain(h.Text)
}

// ParentHeading is the heading whose section a heading stands in.
func (d *Document) ParentHeading(h Heading) Heading {
	heads := d.HeadingsIn(0, h.Line)
	for i := len(heads) - 1; i >= 0; i-- {
		if heads[i].Level < h.Level && heads[i].End > h.Line {
			return heads[i]
		}
	}
	return Heading{}
}

// IsAboutPlan reports whether a line stands under a heading about the whole plan: its criteria, its
// checks.
func (d *Document) IsAboutPlan(line int) bool {
	if d.planLines == nil {
		d.planLines = make([]bool, d.Count()+2)
		for i := range d.Headings {
			h := &d.Headings[i]
			if c := words.ClassOf(h.Text); c == words.ClassCriteria || c == words.ClassGates ||
				c == words.ClassVerify {
				for n := h.Line; n < h.End; n++ {
					d.planLines[n] = true
				}
			}
		}
	}
	return line < len(d.planLines) && d.planLines[line]
}

// IsAboutOrder reports whether a line stands below a heading, or a bold line, about order or
// dependencies.
func (d *Document) IsAboutOrder(line int) bool {
	if d.orderLines == nil {
		d.orderLines = make([]bool, d.Count()+2)
		for i := range d.Headings {
			h := &d.Headings[i]
			if h.Level > 1 && words.ContainsAny(strings.ToLower(h.Text), words.Ordered...) {
				for n := h.Line; n < h.End; n++ {
					d.orderLines[n] = true
				}
			}
		}
		for i := range d.Labels {
			l := &d.Labels[i]
			if l.Bold && l.Value == "" && l.Item < 0 &&
				words.ContainsAny(l.Name, words.Ordered...) {
				end := min(d.Count()+1, l.Line+12)
				for _, h := range d.HeadingsIn(l.Line, end) {
					end = h.Line
					break
				}
				for n := l.Line; n < end; n++ {
					d.orderLines[n] = true
				}
			}
		}
	}
	return line < len(d.orderLines) && d.orderLines[line]
}
