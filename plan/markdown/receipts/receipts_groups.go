package receipts

import (
	"fmt"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/words"
)

// groups accounts for what the text of a heading around several phases says of their order:
// "Depends on: Epic 1" below "Epic 2". It makes no edges, so the graph has to agree.
func (l *ledger) groups() {
	for i := range l.Doc.Headings {
		h := &l.Doc.Headings[i]
		if l.owner[h.Line] > 0 {
			continue
		}
		end := h.End
		if next := l.Doc.HeadingsIn(h.Line+1, h.End); len(next) > 0 {
			end = next[0].Line
		}
		if end == h.End || !l.mayGroup(h.Line+1, end) {
			continue
		}
		if members := l.members(h); len(members) > 0 && len(members) < len(l.Units) {
			l.group(h, end, members)
		}
	}
}

// mayGroup reports whether one of the lines [from, to) may say what something depends on.
func (l *ledger) mayGroup(from, to int) bool {
	for n := from; n < to; n++ {
		if words.HasRelation(l.Doc.Line(n)) {
			return true
		}
	}
	return false
}

// members lists the phases below a heading.
func (l *ledger) members(h *document.Heading) (list []int) {
	for i := range l.Units {
		if u := &l.Units[i]; u.From > h.Line && u.From < h.End {
			list = append(list, i)
		}
	}
	return list
}

// group compares the statements in the lines from a heading to end with the graph.
func (l *ledger) group(h *document.Heading, end int, members []int) {
	for _, lb := range l.Doc.LabelsIn(h.Line+1, end) {
		if words.IsNeedLabel(lb.Name) {
			l.groupNeeds(lb.Line, inline.References(lb.Value), members)
		}
	}
	for _, s := range l.Doc.Sentences() {
		if s.Line <= h.Line || s.Line >= end {
			continue
		}
		if rel, ok := words.Relate(s.Text); ok && rel.Strong && !rel.None && !rel.Denied &&
			!rel.Inverse && !rel.Soft && !rel.Colon && words.IsPhaseItself(rel.Subject) {
			l.groupNeeds(s.Line, rel.Object, members)
		}
	}
}

// groupNeeds reports a line by which all members of a group wait for some phases, where one does
// not.
func (l *ledger) groupNeeds(line int, object string, members []int) {
	if known, unknown, _ := l.Index().Count(object); known == 0 || unknown > 0 || l.readAs[line] != "" {
		return
	}
	l.readAs[line] = "order of a group"
	for _, k := range l.Index().Mentions(object) {
		for _, i := range members {
			if i == k || l.plan.Reaches(k, i) {
				continue
			}
			l.unread(line, plan.EvidenceRelation,
				fmt.Sprintf("this line is not followed: phase %s does not wait for phase %s",
					l.Units[i].Label, l.Units[k].Label),
				"write \"**Depends on:** …\" into the section of each phase")
			return
		}
	}
}
