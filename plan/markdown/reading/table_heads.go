package reading

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// AttachHeadings finds the headings of units that came from a table.
func (r *Reading) AttachHeadings() {
	byID, told := map[string][]int{}, map[string]bool{}
	called := map[string][]int{} // by what stands before a colon
	for i, h := range r.Doc.Headings {
		label := h.Title.Label
		if label == "" {
			before, _, _ := strings.Cut(h.Text, ":")
			called[inline.Words(before)] = append(called[inline.Words(before)], i)
			label = inline.WithoutEmoji(h.Text)
			if letter, _, found := strings.Cut(strings.TrimPrefix(label, "("), ")"); found &&
				len(letter) == 1 {
				label = letter // "a) Name"
			}
		}
		if id, err := plan.NormalID(label); err == nil {
			byID[id] = append(byID[id], i)
		}
	}
	for i := range r.Units {
		u := &r.Units[i]
		id, err := plan.NormalID(u.Label)
		if err != nil {
			continue
		}
		best, rank := -1, 0
		candidates := byID[id]
		if u.Title.Called != "" {
			candidates = append(slices.Clip(candidates), called[inline.Words(u.Title.Called)]...)
		}
		for _, k := range candidates {
			h := &r.Doc.Headings[k]
			now := headRank(u, h)
			if r.isAround(u, h) {
				continue
			}
			if now > rank || now > 0 && now == rank &&
				r.Doc.WorkIn(h.Line, h.End) > r.Doc.WorkIn(r.Doc.Headings[best].Line,
					r.Doc.Headings[best].End)+500 {
				best, rank = k, now
			}
		}
		if best >= 0 {
			r.SetHeading(u, &r.Doc.Headings[best])
			if !told[id] {
				r.refuseSecondHeading(u, best, byID[id])
			}
			told[id] = true
		}
	}
}

// isAround reports whether a heading has the kind of the heading above the unit's table, and the
// row has another kind. "Phase 1" above a table of pull requests is not the request #1.
func (r *Reading) isAround(u *section.Unit, h *document.Heading) bool {
	kind, _ := plan.SplitKind(u.Word + " 1")
	if kind == "" || h.Title.Kind == "" || kind == h.Title.Kind {
		return false
	}
	above := r.Doc.HeadingAbove(u.RowLine)
	return above.Title.Kind == h.Title.Kind
}

// refuseSecondHeading refuses a second section that ranks as high as the one that was taken,
// because an agent would get only one of the two texts.
func (r *Reading) refuseSecondHeading(u *section.Unit, taken int, others []int) {
	const sure = 4
	first := &r.Doc.Headings[taken]
	for _, k := range others {
		h := &r.Doc.Headings[k]
		if k == taken || h.Level != first.Level || headRank(u, first) < sure ||
			headRank(u, h) < sure {
			continue
		}
		r.Warn("E-DUP-ID", r.Doc.HeadingPos(h),
			fmt.Sprintf("phase %s has two sections, on lines %d and %d", u.Label, first.Line,
				h.Line),
			"keep one of them, or give one another id")
		return
	}
}

// headRank rates how surely a heading belongs to a phase of a table, from 1 to 4; 0 is not at all.
func headRank(u *section.Unit, h *document.Heading) int {
	var rank int
	switch {
	case h.Title.Kind == "phase" || (h.Title.Kind != "" && h.Title.Kind == u.Title.Kind):
		rank = 4
	case h.Title.Label == "":
		rank = 2 // the name itself
	case h.Title.Kind != "":
		rank = 3
	case !words.IsNumeric(h.Title.Label):
		rank = 2
	case u.Name == "" || words.ShareWord(u.Name, h.Title.Name):
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

// SetHeading gives a unit its heading. Its name replaces that of the row, because it is usually
// fuller.
func (r *Reading) SetHeading(u *section.Unit, h *document.Heading) {
	u.From, u.Level, u.Raw, u.Offset = h.Line, h.Level, h.Raw, h.Offset
	u.Pos, u.Width = r.Doc.HeadingPos(h), len(h.Raw)
	if u.RowLine > 0 {
		u.Pos = plan.Pos{Line: h.Line, Col: u.Pos.Col}
	}
	u.Title = h.Title
	if h.Title.Name != "" {
		u.Name = h.Title.Name
	}
	if h.Title.Status != plan.StatusUnknown {
		at := document.Cell{Raw: h.Raw, Offset: h.Offset, Title: true}
		u.Stated = append(u.Stated, at)
		if u.Status == plan.StatusUnknown {
			u.Status, u.StatusAt = h.Title.Status, at
		}
	}
	if h.Title.Strikethrough && u.Status == plan.StatusUnknown {
		u.Status = plan.StatusSkipped
	}
	if h.Box > 0 {
		box := document.Cell{
			Raw:    r.Doc.Text[h.Offset-h.Box : h.Offset-1],
			Offset: h.Offset - h.Box,
		}
		u.Stated = append(u.Stated, box)
		if u.Status == plan.StatusUnknown {
			u.Status, u.StatusAt = words.TickStatus(box.Raw), box
		}
	}
	if u.Estimate.Text == "" {
		u.Estimate = h.Title.Estimate()
	}
	if text, ok := h.Title.Aside("parallel with", "can run with", "can run in parallel with",
		"runs in parallel with"); ok && len(u.Beside) == 0 {
		u.Beside = []plan.Ref{{Text: text, Pos: r.Doc.Pos(h.Offset)}}
	}
}
