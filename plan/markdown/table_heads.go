package markdown

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/plan/markdown/document"

	"autobuild/plan/markdown/words"

	"autobuild/plan/markdown/inline"

	"autobuild/plan"
)

// attach finds the headings of units that came from a table.
func (r *reading) attach() {
	byID, told := map[string][]int{}, map[string]bool{}
	called := map[string][]int{} // by what stands before a colon
	for i, h := range r.doc.Heads {
		label := h.Title.Label
		if label == "" {
			before, _, _ := strings.Cut(h.Text, ":")
			called[inline.Words(before)] = append(called[inline.Words(before)], i)
			label = inline.Unadorned(h.Text)
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
		if u.title.Called != "" {
			candidates = append(slices.Clip(candidates), called[inline.Words(u.title.Called)]...)
		}
		for _, k := range candidates {
			h := &r.doc.Heads[k]
			now := headRank(u, h)
			if now > rank || now > 0 && now == rank && r.doc.Work(h.Line, h.End) > r.doc.Work(r.doc.Heads[best].Line, r.doc.Heads[best].End)+500 {
				best, rank = k, now
			}
		}
		if best >= 0 {
			r.head(u, &r.doc.Heads[best])
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
	first := &r.doc.Heads[taken]
	for _, k := range others {
		h := &r.doc.Heads[k]
		if k == taken || h.Level != first.Level || headRank(u, first) < sure || headRank(u, h) < sure {
			continue
		}
		r.warn("E-DUP-ID", r.doc.HeadPos(h), fmt.Sprintf("phase %s has two sections, on lines %d and %d", u.Label, first.Line, h.Line),
			"keep one of them, or give one another id")
		return
	}
}

// headRank says how surely a heading is that of a table's phase; 0 is not at all.
func headRank(u *unit, h *document.Heading) int {
	var rank int
	switch {
	case h.Title.Kind == "phase" || (h.Title.Kind != "" && h.Title.Kind == u.title.Kind):
		rank = 4
	case h.Title.Label == "":
		rank = 2 // the name itself
	case h.Title.Kind != "":
		rank = 3
	case !words.Numeric(h.Title.Label):
		rank = 2
	case u.Name == "" || words.Overlap(u.Name, h.Title.Name):
		rank = 1 // "## 1. Overview" is only a numbered heading
	default:
		return 0
	}
	if h.Level == 1 {
		rank = 1
	}
	if h.Title.Status == plan.StatusSkipped && rank > 1 {
		rank--
	}
	return rank
}

// head gives a unit its heading. The name of the heading is the fuller one as a rule.
func (r *reading) head(u *unit, h *document.Heading) {
	u.from, u.level, u.raw, u.offset = h.Line, h.Level, h.Raw, h.Offset
	u.Pos, u.Width = r.doc.HeadPos(h), len(h.Raw)
	if u.rowLine > 0 {
		u.Pos = plan.Pos{Line: h.Line, Col: u.Pos.Col}
	}
	u.title = h.Title
	if h.Title.Name != "" {
		u.Name = h.Title.Name
	}
	if h.Title.Status != plan.StatusUnknown {
		at := document.Cell{Raw: h.Raw, Offset: h.Offset, Title: true}
		u.stated = append(u.stated, at)
		if u.Status == plan.StatusUnknown {
			u.Status, u.statusAt = h.Title.Status, at
		}
	}
	if h.Boxed {
		box := document.Cell{Raw: r.doc.Text[h.Offset-document.HeadBox : h.Offset-1], Offset: h.Offset - document.HeadBox}
		u.stated = append(u.stated, box)
		if u.Status == plan.StatusUnknown {
			u.Status, u.statusAt = words.TickStatus(box.Raw), box
		}
	}
	if u.Estimate.Text == "" {
		u.Estimate = h.Title.Estimate()
	}
	if text, ok := h.Title.Aside("parallel with", "can run with", "can run in parallel with", "runs in parallel with"); ok && len(u.Beside) == 0 {
		u.Beside = []plan.Ref{{Text: text, Pos: r.doc.Pos(h.Offset)}}
	}
}
