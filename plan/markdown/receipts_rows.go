package markdown

import (
	"fmt"

	"autobuild/internal/text"
	"autobuild/plan"
)

// rows accounts for the rows of tables that have an id.
func (l *ledger) rows() {
	for i := range l.doc.tables {
		t := &l.doc.tables[i]
		c := keyed(t, readColumns(t), nil)
		listing := false
		for _, row := range t.rows {
			listing = listing || l.ownLine(row.line)
		}
		about := !listing && c.needs < 0 && c.status >= 0 && l.aboutPhases(t, c.key)
		if c.key < 0 && !listing {
			continue
		}
		var lost []int
		for _, row := range t.rows {
			id := cellTitle(row.at(c.key).raw)
			of, known := l.index().Find(prefixed(id.kind+" ", id.label))
			if !known {
				of, known = l.index().Find(unadorned(plain(row.at(c.key).raw)))
			}
			switch {
			case l.ownLine(row.line):
				l.note(row.line, plan.EvidenceRow, "%s", l.rowPhase(row.line))
			case l.owner[row.line] > 0:
				l.note(row.line, plan.EvidenceRow, "text of %s", l.units[l.owner[row.line]-1].Label)
			case id.label != "" && known:
				l.note(row.line, plan.EvidenceRow, "about %s", l.units[of].Label)
			case summing(unadorned(plain(row.at(c.key).raw))):
			case about && id.label != "", listing || c.needs >= 0 && id.label != "" && l.relates(row.at(c.needs)):
				lost = append(lost, row.line)
			case id.label != "":
				l.note(row.line, plan.EvidenceRow, "table of the document")
			}
		}
		for k, line := range lost {
			message := ""
			if k == 0 {
				message = fmt.Sprintf("%s of the table on line %d %s read as no phase", text.Count(len(lost), "row"), t.line, isAre(len(lost)))
			}
			l.unread(line, plan.EvidenceRow, message, "give each an id in the first column, or another table")
		}
	}
}

// aboutPhases reports whether the ids of a table are phases, but for a few: it follows their
// progress.
func (l *ledger) aboutPhases(t *table, key int) bool {
	known, others := 0, 0
	for _, row := range t.rows {
		id := cellTitle(row.at(key).raw)
		if id.label == "" {
			continue
		}
		if _, ok := l.index().Find(prefixed(id.kind+" ", id.label)); ok {
			known++
		} else {
			others++
		}
	}
	return known >= 2 && others*3 <= known
}

// relates reports whether a cell names phases of the plan.
func (l *ledger) relates(c cell) bool { return len(l.index().Mentions(cellList(c.raw))) > 0 }

// rowPhase is what a row became: a phase, and what it comes after.
func (l *ledger) rowPhase(line int) string {
	for i := range l.units {
		if l.units[i].rowLine != line {
			continue
		}
		as := "phase " + l.units[i].Label
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
