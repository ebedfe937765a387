package reading

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/internal/text"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// LeaveAsides drops the units below headings of work for the case of an error, or of text that is
// shown only: a rollback, a plan B, an appendix. A unit that a table of dependencies lists stays,
// and so do all where no other is left. It is called once, before the readings are compared.
func (r *Reading) LeaveAsides() {
	if !slices.ContainsFunc(r.Doc.Headings, isAside) {
		return
	}
	listed := r.listedLabels()
	var kept []section.Unit
	above := map[int][]string{} // by line of the heading: the units below it
	for _, u := range r.Units {
		h := r.asideAround(u)
		if h.Line == 0 || u.RowLine > 0 || listed[words.NormalID(u.Label)] {
			kept = append(kept, u)
			continue
		}
		above[h.Line] = append(above[h.Line], u.Label)
	}
	if len(kept) == 0 {
		return
	}
	r.Asides = map[int]bool{}
	for _, u := range r.Units {
		if h := r.asideAround(u); slices.Contains(above[h.Line], u.Label) {
			r.Asides[u.From] = true
		}
	}
	r.Units = kept
	for _, h := range r.Doc.Headings {
		if labels := above[h.Line]; len(labels) > 0 {
			r.Warn("W-UNREAD", r.Doc.HeadingPos(&h),
				fmt.Sprintf("what stands below %q is no phase: %s", text.Clip(h.Text, maxSaid),
					text.JoinSome(labels, 6)),
				"a run leaves it out; to have it done, move it out from under this heading")
		}
	}
	r.reportBehindAsides()
}

// OnlyAsides reports whether all units stand below such headings: a table of risks is no plan where
// anything else is.
func (r *Reading) OnlyAsides() bool {
	return !slices.ContainsFunc(r.Units, func(u section.Unit) bool {
		if u.RowLine > 0 {
			u.From = u.RowLine
		}
		return r.asideAround(u).Line == 0
	})
}

// reportBehindAsides reports the phases that follow such a heading on its own level to the end of
// the document: it is not clear whether the heading is about them.
func (r *Reading) reportBehindAsides() {
	for i := range r.Doc.Headings {
		h := &r.Doc.Headings[i]
		if !isAside(*h) {
			continue
		}
		var behind []string
		before := false
		for _, u := range r.Units {
			switch {
			case u.From == 0 || u.RowLine > 0 || u.Level != h.Level:
			case u.From < h.Line:
				before = true
			default:
				behind = append(behind, u.Label)
			}
		}
		if before && len(behind) > 0 && h.Level > 1 {
			r.Warn("W-GUESSED", r.Doc.HeadingPos(h),
				fmt.Sprintf("phases follow the heading %q and are read as the others: %s",
					text.Clip(h.Text, maxSaid), text.JoinSome(behind, 6)),
				"if they belong to it, put them one level below it; else move it behind them")
			return
		}
	}
}

// asideAround is the heading of that kind which a unit stands below.
func (r *Reading) asideAround(u section.Unit) document.Heading {
	if u.From == 0 {
		return document.Heading{}
	}
	for h := r.Doc.HeadingAbove(u.From + 1); h.Line > 0; h = r.Doc.ParentHeading(h) {
		if h.Line != u.From && isAside(h) {
			return h
		}
	}
	return document.Heading{}
}

// isAside reports whether a heading that is no phase is that of a rollback, an appendix or the
// like.
func isAside(h document.Heading) bool {
	return h.Title.Kind == "" && words.IsAside(h.Text)
}

// listedLabels are the ids in the tables that state dependencies.
func (r *Reading) listedLabels() map[string]bool {
	ids := map[string]bool{}
	for i := range r.Doc.Tables {
		t := &r.Doc.Tables[i]
		c := document.ReadColumns(t)
		if c.Needs < 0 {
			continue
		}
		for _, row := range t.Rows {
			cell := row.At(max(c.Key, 0)).Raw
			if label := strings.TrimSpace(words.ReadCell(cell).Label); label != "" {
				ids[words.NormalID(label)] = true
			}
		}
	}
	return ids
}
