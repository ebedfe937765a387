package receipts

import (
	"fmt"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/words"
)

// rows accounts for the rows of tables that have an id.
func (l *ledger) rows() {
	for i := range l.Doc.Tables {
		t := &l.Doc.Tables[i]
		c := document.WithKey(t, document.ReadColumns(t), nil)
		listing := false
		for _, row := range t.Rows {
			listing = listing || l.IsPhaseLine(row.Line)
		}
		about := !listing && c.Needs < 0 && c.Status >= 0 && l.aboutPhases(t, c.Key)
		if c.Key < 0 && !listing {
			continue
		}
		var lost []int
		for _, row := range t.Rows {
			id := words.ReadCell(row.At(c.Key).Raw)
			of, known := l.Index().Find(words.Prefixed(id.Kind+" ", id.Label))
			if !known {
				of, known = l.Index().Find(inline.WithoutEmoji(inline.Plain(row.At(c.Key).Raw)))
			}
			switch {
			case l.IsPhaseLine(row.Line):
				l.note(row.Line, plan.EvidenceRow, "%s", l.rowPhase(row.Line))
			case l.owner[row.Line] > 0:
				l.note(row.Line, plan.EvidenceRow, "text of %s", l.Units[l.owner[row.Line]-1].Label)
			case id.Label != "" && known:
				l.note(row.Line, plan.EvidenceRow, "about %s", l.Units[of].Label)
			case words.IsTotal(inline.WithoutEmoji(inline.Plain(row.At(c.Key).Raw))):
			case about && id.Label != "", listing || c.Needs >= 0 && id.Label != "" &&
				l.relates(row.At(c.Needs)):
				lost = append(lost, row.Line)
			case id.Label != "":
				l.note(row.Line, plan.EvidenceRow, "table of the document")
			}
		}
		for k, line := range lost {
			message := ""
			if k == 0 {
				message = fmt.Sprintf("%s of the table on line %d %s read as no phase",
					text.Count(len(lost), "row"), t.Line, isAre(len(lost)))
			}
			l.unread(line, plan.EvidenceRow, message,
				"give each an id in the first column, or another table")
		}
	}
}

// aboutPhases reports whether the ids of a table are phases, but for a few: it follows their
// progress.
func (l *ledger) aboutPhases(t *document.Table, key int) bool {
	known, others := 0, 0
	for _, row := range t.Rows {
		id := words.ReadCell(row.At(key).Raw)
		if id.Label == "" {
			continue
		}
		if _, ok := l.Index().Find(words.Prefixed(id.Kind+" ", id.Label)); ok {
			known++
		} else {
			others++
		}
	}
	return known >= 2 && others*3 <= known
}

// relates reports whether a cell names phases of the plan.
func (l *ledger) relates(c document.Cell) bool {
	return len(l.Index().Mentions(inline.PlainList(c.Raw))) > 0
}

// rowPhase is what a row became: a phase, and what it comes after.
func (l *ledger) rowPhase(line int) string {
	for i := range l.Units {
		if l.Units[i].RowLine != line {
			continue
		}
		as := "phase " + l.Units[i].Label
		var after []string
		for _, k := range l.plan.Needs(i) {
			after = append(after, l.plan.At(k).Label)
		}
		if len(after) > 0 && !l.plan.At(i).Unstated {
			as += " after " + text.JoinSome(after, 6)
		}
		return as
	}
	return "phase"
}
