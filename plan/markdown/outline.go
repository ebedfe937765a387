package markdown

import (
	"slices"
	"strings"

	"autobuild/plan"
)

// kinds counts the headings of each kind.
func (d *document) kinds() map[string]int {
	if d.kindCount == nil {
		d.kindCount = map[string]int{}
		for i := range d.heads {
			if t := &d.heads[i].title; t.kind != "" && t.label != "" {
				d.kindCount[t.kind]++
			}
		}
	}
	return d.kindCount
}

// headKind is headKind of the document, found once.
func (d *document) headKind() string {
	if d.headedKind == nil {
		kind := headKind(d)
		d.headedKind = &kind
	}
	return *d.headedKind
}

// headKind is the kind of heading that stands for phases: the first of unitKinds that the document
// has, at least twice if it can be. Headings that mostly stand below those of another kind are
// parts of these: the steps of a task are no phases. Phases and stories are, also below milestones
// and epics.
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
				if outer.title.kind != kind && !slices.Contains(groupKinds, outer.title.kind) {
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

// work is how much there is to do in a section: its boxes, its statements of dependencies, and of
// equals its lines.
func (d *document) work(from, to int) int {
	work := min(to-from, 999)
	for _, it := range d.itemsIn(from, to) {
		if it.box != 0 {
			work += 1000
		}
	}
	for _, l := range d.labelsIn(from, to) {
		if slices.Contains(needLabels, l.name) || slices.Contains(weakNeeds, l.name) {
			work += 1000
		}
	}
	return work
}

// endOf is the end of the section whose heading is on a line.
func (d *document) endOf(line int) int {
	for _, h := range d.headsIn(line, line+1) {
		return h.end
	}
	return line
}

// headPos is the place of a heading's text.
func (d *document) headPos(h *heading) plan.Pos { return d.pos(h.offset) }

// above is the heading that a line stands under.
func (d *document) above(line int) heading {
	heads := d.headsIn(0, line)
	if len(heads) == 0 {
		return heading{}
	}
	return heads[len(heads)-1]
}

// around is the heading whose section a heading stands in.
func (d *document) around(h heading) heading {
	heads := d.headsIn(0, h.line)
	for i := len(heads) - 1; i >= 0; i-- {
		if heads[i].level < h.level && heads[i].end > h.line {
			return heads[i]
		}
	}
	return heading{}
}

// general reports whether a line stands under a heading about the whole plan: its criteria, its
// checks.
func (d *document) general(line int) bool {
	if d.generals == nil {
		d.generals = make([]bool, d.count()+2)
		for i := range d.heads {
			h := &d.heads[i]
			if c := classOf(h.text); c == classCriteria || c == classGates || c == classVerify {
				for n := h.line; n < h.end; n++ {
					d.generals[n] = true
				}
			}
		}
	}
	return line < len(d.generals) && d.generals[line]
}

// orderly reports whether a line stands below a heading, or a bold line, about order or
// dependencies.
func (d *document) orderly(line int) bool {
	if d.orders == nil {
		d.orders = make([]bool, d.count()+2)
		for i := range d.heads {
			h := &d.heads[i]
			if h.level > 1 && hasAny(strings.ToLower(h.text), ordered...) {
				for n := h.line; n < h.end; n++ {
					d.orders[n] = true
				}
			}
		}
		for i := range d.labels {
			l := &d.labels[i]
			if l.bold && l.value == "" && l.item < 0 && hasAny(l.name, ordered...) {
				end := min(d.count()+1, l.line+12)
				for _, h := range d.headsIn(l.line, end) {
					end = h.line
					break
				}
				for n := l.line; n < end; n++ {
					d.orders[n] = true
				}
			}
		}
	}
	return line < len(d.orders) && d.orders[line]
}
