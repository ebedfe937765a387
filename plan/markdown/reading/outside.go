package reading

import (
	"fmt"
	"strings"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/words"
)

// reportOutside reports what the front matter and the lines outside all phases say of the document
// as a whole and no phase says: that it is done, or that it waits for something in another one.
func (r *Reading) reportOutside() {
	if e, ok := document.TopEntry(r.Doc.Front, "status"); ok &&
		words.StatusOf(e.Value, true) == plan.StatusDone {
		r.reportDone(e.Line)
	}
	said := false
	for i := range r.Units {
		for _, ref := range r.Units[i].Needs {
			said = said || ref.Pos.Line > 0 && ref.Pos.Line <= r.Doc.FrontEnd
		}
	}
	for _, key := range []string{"depends_on", "dependencies", "requires", "blocked_by"} {
		names, line, ok := document.EntryList(r.Doc.Front, key)
		for _, name := range names {
			if ids, _ := r.IDs(); ok && !said && !ids[words.NormalID(name)] {
				r.reportPrerequisite(line, name)
			}
		}
	}
	for i := range r.Doc.Labels {
		l := &r.Doc.Labels[i]
		if words.IsNeedLabel(l.Name) && !l.Loose && !r.Covered[l.Line] && !r.IsPhaseLine(l.Line) {
			list, _, _ := strings.Cut(inline.References(l.Value), ". ")
			if known, unknown, _ := r.Index().Count(list); known == 0 && unknown > 0 {
				r.reportPrerequisite(l.Line, list)
			}
		}
	}
}

// reportDone reports a line that declares the whole document done, where phases are open.
func (r *Reading) reportDone(line int) {
	open := 0
	for i := range r.Units {
		if s := r.Units[i].Status; s != plan.StatusDone && s != plan.StatusSkipped {
			open++
		}
	}
	if open > 0 {
		r.Warn("W-STATUS", plan.Pos{Line: line, Col: 1},
			fmt.Sprintf("the document is declared done, but %d of its %d phases are open", open,
				len(r.Units)),
			"a run does these; mark the phases as done, or correct the line")
	}
}

// reportPrerequisite reports a dependency of the whole document on a phase that it does not have.
func (r *Reading) reportPrerequisite(line int, list string) {
	first, _, _ := strings.Cut(strings.NewReplacer("（", "(", "，", ",").Replace(list), "(")
	first, _, _ = strings.Cut(first, ",")
	kind, core := plan.SplitKind(strings.TrimSpace(first))
	label, rest := words.IDAt(core)
	if label == "" || strings.TrimSpace(rest) != "" || kind == "" && words.IsNumeric(label) {
		return
	}
	r.Warn("W-REFERENCE", plan.Pos{Line: line, Col: 1},
		fmt.Sprintf("the document waits for %q, which is no phase of it: a run does not wait for it",
			text.Clip(strings.TrimSpace(first), maxSaid)),
		"check that it is complete before the run")
}

// IsJudged reports whether a heading outside all phases begins criteria for the whole document.
func (r *Reading) IsJudged() bool {
	for i := range r.Doc.Headings {
		h := &r.Doc.Headings[i]
		if h.Line < len(r.Covered) && !r.Covered[h.Line] && h.End > h.Line+1 &&
			words.ClassOf(h.Text) == words.ClassCriteria {
			return true
		}
	}
	return false
}
