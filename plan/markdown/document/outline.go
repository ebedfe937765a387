package document

import (
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/words"
)

// Kinds counts the headings of each kind.
func (d *Document) Kinds() map[string]int {
	if d.kindCount == nil {
		d.kindCount = map[string]int{}
		for i := range d.Heads {
			if t := &d.Heads[i].Title; t.Kind != "" && t.Label != "" {
				d.kindCount[t.Kind]++
			}
		}
	}
	return d.kindCount
}

// HeadKind is headKind of the document, found once.
func (d *Document) HeadKind() string {
	if d.headedKind == nil {
		kind := headKind(d)
		d.headedKind = &kind
	}
	return *d.headedKind
}

// HeadKind is the kind of heading that stands for phases: the first of unitKinds that the document
// has, at least twice if it can be. Headings that mostly stand below those of another kind are
// Parts of these: the steps of a task are no phases. Phases and stories are, also below milestones
// and epics.
func headKind(d *Document) string {
	count, inside := map[string]int{}, map[string]int{}
	var open []Heading
	for _, h := range d.Heads {
		for len(open) > 0 && open[len(open)-1].Level >= h.Level {
			open = open[:len(open)-1]
		}
		if kind := h.Title.Kind; kind != "" && h.Level > 1 {
			count[kind]++
			for _, outer := range open {
				if outer.Title.Kind != kind && !slices.Contains(words.GroupKinds, outer.Title.Kind) {
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

// Work is how much there is to do in a section: its boxes, its statements of dependencies, and of
// equals its lines.
func (d *Document) Work(from, to int) int {
	work := min(to-from, 999)
	for _, it := range d.ItemsIn(from, to) {
		if it.Box != 0 {
			work += 1000
		}
	}
	for _, l := range d.LabelsIn(from, to) {
		if slices.Contains(words.NeedLabels, l.Name) || slices.Contains(words.WeakNeeds, l.Name) {
			work += 1000
		}
	}
	return work
}

// EndOf is the end of the section whose heading is on a line.
func (d *Document) EndOf(line int) int {
	for _, h := range d.HeadsIn(line, line+1) {
		return h.End
	}
	return line
}

// HeadPos is the place of a heading's text.
func (d *Document) HeadPos(h *Heading) plan.Pos { return d.Pos(h.Offset) }

// Above is the heading that a line stands under.
func (d *Document) Above(line int) Heading {
	heads := d.HeadsIn(0, line)
	if len(heads) == 0 {
		return Heading{}
	}
	return heads[len(heads)-1]
}

// Around is the heading whose section a heading stands in.
func (d *Document) Around(h Heading) Heading {
	heads := d.HeadsIn(0, h.Line)
	for i := len(heads) - 1; i >= 0; i-- {
		if heads[i].Level < h.Level && heads[i].End > h.Line {
			return heads[i]
		}
	}
	return Heading{}
}

// General reports whether a line stands under a heading about the whole plan: its criteria, its
// checks.
func (d *Document) General(line int) bool {
	if d.generals == nil {
		d.generals = make([]bool, d.Count()+2)
		for i := range d.Heads {
			h := &d.Heads[i]
			if c := words.ClassOf(h.Text); c == words.ClassCriteria || c == words.ClassGates || c == words.ClassVerify {
				for n := h.Line; n < h.End; n++ {
					d.generals[n] = true
				}
			}
		}
	}
	return line < len(d.generals) && d.generals[line]
}

// Orderly reports whether a line stands below a heading, or a bold line, about order or
// dependencies.
func (d *Document) Orderly(line int) bool {
	if d.orders == nil {
		d.orders = make([]bool, d.Count()+2)
		for i := range d.Heads {
			h := &d.Heads[i]
			if h.Level > 1 && words.HasAny(strings.ToLower(h.Text), words.Ordered...) {
				for n := h.Line; n < h.End; n++ {
					d.orders[n] = true
				}
			}
		}
		for i := range d.Labels {
			l := &d.Labels[i]
			if l.Bold && l.Value == "" && l.Item < 0 && words.HasAny(l.Name, words.Ordered...) {
				end := min(d.Count()+1, l.Line+12)
				for _, h := range d.HeadsIn(l.Line, end) {
					end = h.Line
					break
				}
				for n := l.Line; n < end; n++ {
					d.orders[n] = true
				}
			}
		}
	}
	return line < len(d.orders) && d.orders[line]
}
