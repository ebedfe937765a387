package markdown

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/plan"
)

// attach finds the headings of units that came from a table.
func (r *reading) attach() {
	byID, told := map[string][]int{}, map[string]bool{}
	called := map[string][]int{} // by what stands before a colon
	for i, h := range r.doc.heads {
		label := h.title.label
		if label == "" {
			before, _, _ := strings.Cut(h.text, ":")
			called[words(before)] = append(called[words(before)], i)
			label = unadorned(h.text)
			if letter, _, found := strings.Cut(strings.TrimPrefix(label, "("), ")"); found && len(letter) == 1 {
				label = letter // "a) Name"
			}
		}
		if id, err := plan.NormalID(label); err == nil {
			byID[id] = append(byID[id], i)
		}
	}
	for i := range r.units {
		u := &r.units[i]
		id, err := plan.NormalID(u.Label)
		if err != nil {
			continue
		}
		best, rank := -1, 0
		candidates := byID[id]
		if u.title.called != "" {
			candidates = append(slices.Clip(candidates), called[words(u.title.called)]...)
		}
		for _, k := range candidates {
			h := &r.doc.heads[k]
			now := headRank(u, h)
			if now > rank || now > 0 && now == rank && r.doc.work(h.line, h.end) > r.doc.work(r.doc.heads[best].line, r.doc.heads[best].end)+500 {
				best, rank = k, now
			}
		}
		if best >= 0 {
			r.head(u, &r.doc.heads[best])
			if !told[id] {
				r.onlyHead(u, best, byID[id])
			}
			told[id] = true
		}
	}
}

// onlyHead refuses a second section that is as surely the phase's as the one that was taken: an
// agent would get one of the two texts.
func (r *reading) onlyHead(u *unit, taken int, others []int) {
	const sure = 4
	first := &r.doc.heads[taken]
	for _, k := range others {
		h := &r.doc.heads[k]
		if k == taken || h.level != first.level || headRank(u, first) < sure || headRank(u, h) < sure {
			continue
		}
		r.warn("E-DUP-ID", r.doc.headPos(h), fmt.Sprintf("phase %s has two sections, on lines %d and %d", u.Label, first.line, h.line),
			"keep one of them, or give one another id")
		return
	}
}

// headRank says how surely a heading is that of a table's phase; 0 is not at all.
func headRank(u *unit, h *heading) int {
	var rank int
	switch {
	case h.title.kind == "phase" || (h.title.kind != "" && h.title.kind == u.title.kind):
		rank = 4
	case h.title.label == "":
		rank = 2 // the name itself
	case h.title.kind != "":
		rank = 3
	case !numeric(h.title.label):
		rank = 2
	case u.Name == "" || overlap(u.Name, h.title.name):
		rank = 1 // "## 1. Overview" is only a numbered heading
	default:
		return 0
	}
	if h.level == 1 {
		rank = 1
	}
	if h.title.status == plan.StatusSkipped && rank > 1 {
		rank--
	}
	return rank
}

// head gives a unit its heading. The name of the heading is the fuller one as a rule.
func (r *reading) head(u *unit, h *heading) {
	u.from, u.level, u.raw, u.offset = h.line, h.level, h.raw, h.offset
	u.Pos, u.Width = r.doc.headPos(h), len(h.raw)
	if u.rowLine > 0 {
		u.Pos = plan.Pos{Line: h.line, Col: u.Pos.Col}
	}
	u.title = h.title
	if h.title.name != "" {
		u.Name = h.title.name
	}
	if h.title.status != plan.StatusUnknown {
		at := cell{raw: h.raw, offset: h.offset, title: true}
		u.stated = append(u.stated, at)
		if u.Status == plan.StatusUnknown {
			u.Status, u.statusAt = h.title.status, at
		}
	}
	if h.boxed {
		box := cell{raw: r.doc.text[h.offset-headBox : h.offset-1], offset: h.offset - headBox}
		u.stated = append(u.stated, box)
		if u.Status == plan.StatusUnknown {
			u.Status, u.statusAt = tickStatus(box.raw), box
		}
	}
	if u.Estimate.Text == "" {
		u.Estimate = h.title.estimate()
	}
	if text, ok := h.title.aside("parallel with", "can run with", "can run in parallel with", "runs in parallel with"); ok && len(u.Beside) == 0 {
		u.Beside = []plan.Ref{{Text: text, Pos: r.doc.pos(h.offset)}}
	}
}
