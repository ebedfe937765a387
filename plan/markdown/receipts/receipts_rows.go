package receipts

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/words"
)

// rows accounts for the rows of tables that have an id.
func (l *ledger) rows() {
	var inside map[string]bool
	for i := range l.Doc.Tables {
		t := &l.Doc.Tables[i]
		c := document.WithKey(t, document.ReadColumns(t), nil).WithIDs(t).WithName(t)
		listing := false
		for _, row := range t.Rows {
			listing = listing || l.IsPhaseLine(row.Line)
		}
		about := !listing && c.Needs < 0 && c.Status >= 0 && l.aboutPhases(t, c.Key)
		if c.Key < 0 && !listing {
			l.otherRows(t)
			continue
		}
		work := !listing && l.listsWork(t, c)
		if work && inside == nil {
			inside = l.idsInside()
		}
		var lost []int
		for _, row := range t.Rows {
			l.surplus(t, row)
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
			case id.Label != "" && known &&
				(!work || !l.isOther(id.Name+" "+row.At(c.Name).Raw, of)):
				l.note(row.Line, plan.EvidenceRow, "about %s", l.Units[of].Label)
			case words.IsTotal(inline.WithoutEmoji(inline.Plain(row.At(c.Key).Raw))):
			case about && id.Label != "", listing || c.Needs >= 0 && id.Label != "" &&
				l.relates(row.At(c.Needs)),
				work && strings.ContainsAny(id.Label, "0123456789") &&
					!inside[words.NormalID(id.Label)]:
				lost = append(lost, row.Line)
			case id.Label != "":
				l.note(row.Line, plan.EvidenceRow, "table of the document")
			}
		}
		l.lostRows(t, lost)
	}
}

// surplus reports a row with more cells than its table has columns: nothing reads what they hold.
func (l *ledger) surplus(t *document.Table, row document.Row) {
	for i := len(t.Header); i < len(row.Cells); i++ {
		if cell := row.Cells[i].Raw; cell != "" {
			l.finding(row.Line,
				fmt.Sprintf("the cell %q is beyond the columns of the table", text.Clip(cell, maxQuoted)),
				"write a bar within a cell as \\|, or give the column a head")
			return
		}
	}
}

// lostRows reports rows of a table that are read as nothing.
func (l *ledger) lostRows(t *document.Table, lost []int) {
	for k, line := range lost {
		message := ""
		if k == 0 {
			message = fmt.Sprintf("%s of the table on line %d %s read as no phase",
				text.Count(len(lost), "row"), t.Line, isAre(len(lost)))
		}
		l.unread(line, plan.EvidenceRow, message,
			"give each an id of its own in the table of the phases, or put it below a phase")
	}
}

// otherRows accounts for the rows with an id in a table that has no column of ids.
func (l *ledger) otherRows(t *document.Table) {
	for _, row := range t.Rows {
		switch id := words.ReadCell(row.At(0).Raw); {
		case id.Label == "" || l.readAs[row.Line] != "":
		case l.owner[row.Line] > 0:
			l.note(row.Line, plan.EvidenceRow, "text of %s", l.Units[l.owner[row.Line]-1].Label)
		default:
			l.note(row.Line, plan.EvidenceRow, "table of the document")
		}
	}
}

// idsInside lists the ids of items, headings and rows in the sections of phases: a table that lists
// them again loses nothing.
func (l *ledger) idsInside() map[string]bool {
	ids := map[string]bool{}
	add := func(line int, label string) {
		if id := words.NormalID(label); id != "" && l.owner[line] > 0 {
			ids[id] = true
		}
	}
	for i := range l.Doc.Items {
		it := &l.Doc.Items[i]
		add(it.Line, words.ReadTitle(inline.FirstLine(it.Raw)).Label)
		add(it.Line, words.CodedTitle(inline.FirstLine(it.Raw)).Label)
	}
	for i := range l.Doc.Headings {
		add(l.Doc.Headings[i].Line, l.Doc.Headings[i].Title.Label)
	}
	for i := range l.Doc.Tables {
		for _, row := range l.Doc.Tables[i].Rows {
			add(row.Line, words.ReadCell(row.At(0).Raw).Label)
		}
	}
	return ids
}

// listsWork reports whether the rows of a table are what is to be done: their title says so, or
// each has the status of work.
func (l *ledger) listsWork(t *document.Table, c document.Columns) bool {
	if c.Key < 0 || c.Name < 0 || l.Doc.IsAboutPlan(t.Line) || IsWholePlan(l.Doc, t.Line) {
		return false
	}
	head := words.HeadWords(t.Header[c.Name].Raw)
	if slices.Contains(words.OtherNames, head) ||
		slices.Contains(words.OtherNames, words.HeadWords(t.Header[c.Key].Raw)) {
		return false
	}
	stated := 0
	for _, row := range t.Rows {
		switch cell := row.At(c.Status); {
		case strings.TrimSpace(cell.Raw) == "":
		case words.StatusOf(cell.Raw, true) == plan.StatusUnknown:
			return false
		default:
			stated++
		}
	}
	return stated > 0 || slices.Contains(words.WorkNames, head) &&
		(len(t.Rows) > 1 || l.phaseHeads()[words.HeadWords(t.Header[c.Key].Raw)+" "+head])
}

// phaseHeads lists the heads of the ids and names in the tables whose rows are phases.
func (l *ledger) phaseHeads() map[string]bool {
	heads := map[string]bool{}
	for i := range l.Doc.Tables {
		t := &l.Doc.Tables[i]
		c := document.WithKey(t, document.ReadColumns(t), nil)
		if c.Key >= 0 && c.Name >= 0 && len(t.Rows) > 0 && l.IsPhaseLine(t.Rows[0].Line) {
			heads[words.HeadWords(t.Header[c.Key].Raw)+" "+
				words.HeadWords(t.Header[c.Name].Raw)] = true
		}
	}
	return heads
}

// isOther reports whether a row with the id of a phase is about something else, by its name.
func (l *ledger) isOther(called string, of int) bool {
	name, other := inline.Words(called), inline.Words(l.Units[of].Name)
	return name != "" && other != "" && !words.Alike(name, other)
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
