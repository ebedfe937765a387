package reading

import (
	"fmt"
	"slices"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// SetStatuses sets the status of phases that declare none: from status tables, else from the boxes.
func (r *Reading) SetStatuses() {
	r.readStatusTables()
	r.readStatusLabels()
	r.inheritStatuses()
	for i := range r.Units {
		u := &r.Units[i]
		done, total := 0, len(u.Tasks)
		for _, t := range u.Tasks {
			if t.Done {
				done++
			}
		}
		declared := u.Status
		r.reportLimited(u)
		if u.NoBoxes {
			total = 0
		}
		if declared == plan.StatusUnknown && total > 0 {
			switch {
			case done == total:
				u.Status = plan.StatusDone
			case done == 0 && !u.Begun:
				u.Status = plan.StatusTodo
			default:
				u.Status = plan.StatusInProgress
			}
		}
		if u.Status == plan.StatusUnknown && total == 0 {
			u.Status = r.statusOfTables(u)
		}
		if declared == plan.StatusUnknown && u.Status != plan.StatusDone {
			r.reportUnknown(u)
		}
		if declared == plan.StatusDone && done < total {
			r.Warn("W-STATUS", u.Pos,
				fmt.Sprintf("phase %s is declared done, but %d of its %d boxes are open", u.Label,
					total-done, total),
				fmt.Sprintf("a run takes it for done; tick the boxes, or run it with --only %s",
					u.Label))
		}
		if declared == plan.StatusTodo && total > 0 && done == total {
			r.Warn("W-STATUS", u.Pos,
				fmt.Sprintf("phase %s is declared open, but all of its %d boxes are ticked",
					u.Label, total),
				fmt.Sprintf("a run does it again; --skip %s leaves it out", u.Label))
		}
	}
}

// statusOfTables is the status of a phase without boxes whose tasks are rows of tables with a
// column for their status.
func (r *Reading) statusOfTables(u *section.Unit) plan.Status {
	if u.From == 0 || u.Own > 0 {
		return plan.StatusUnknown
	}
	done, total, end := 0, 0, u.WholeEnd(r.Doc)
	for k := range r.Doc.Tables {
		t := &r.Doc.Tables[k]
		c := document.ReadColumns(t)
		if t.Line < u.From || t.Line >= end || c.Status < 0 || c.Needs >= 0 ||
			!slices.ContainsFunc(t.Header, func(head document.Cell) bool {
				return slices.Contains(words.WorkNames, words.HeadWords(head.Raw))
			}) {
			continue
		}
		for _, row := range t.Rows {
			total++
			switch words.StatusOf(row.At(c.Status).Raw, true) {
			case plan.StatusDone, plan.StatusSkipped:
				done++
			}
		}
	}
	switch done {
	case 0:
		return plan.StatusUnknown
	case total:
		return plan.StatusDone
	}
	return plan.StatusInProgress
}

// reportLimited reports a statement that a phase is done or skipped which says more than that.
func (r *Reading) reportLimited(u *section.Unit) {
	said := u.StatusAt.Raw
	if u.StatusAt.Title {
		if said = ""; len(u.Title.Asides) > 0 {
			said = u.Title.Asides[len(u.Title.Asides)-1]
		}
	}
	if u.Status == plan.StatusDone || u.Status == plan.StatusSkipped {
		return
	}
	if !words.Limited(said) {
		return
	}
	r.Warn("W-STATUS", r.Doc.Pos(u.StatusAt.Offset),
		fmt.Sprintf("the status of phase %s is not plainly done or skipped: %q", u.Label,
			text.Clip(inline.Plain(said), maxSaid)),
		"a run does the phase; to leave it out, write the status alone or with a date")
}

// maxSaid bounds a quotation within a message, in bytes.
const maxSaid = 60

// readStatusTables reads tables without dependencies that list the status of phases known already.
func (r *Reading) readStatusTables() {
	byID := map[string]int{}
	for i, u := range r.Units {
		if id, err := plan.NormalID(u.Label); err == nil {
			byID[id] = i
		}
	}
	for k := range r.Doc.Tables {
		t := &r.Doc.Tables[k]
		c := document.ReadColumns(t)
		if c.Status < 0 || c.Needs >= 0 || r.Covered[t.Line] {
			continue
		}
		c = document.WithKey(t, c, func(id string) bool { _, ok := byID[id]; return ok })
		if c.Key < 0 || !slices.Contains(words.StatusedTable,
			words.HeadWords(t.Header[c.Key].Raw)) {
			continue
		}
		for _, row := range t.Rows {
			id, err := plan.NormalID(words.ReadCell(row.At(c.Key).Raw).Label)
			i, ok := byID[id]
			if err != nil || !ok || row.At(c.Status).Offset == 0 {
				continue
			}
			if r.Units[i].StatusAt.Offset > 0 {
				r.compareStatus(&r.Units[i], row.At(c.Status))
				continue
			}
			if name := row.At(c.Name).Raw; name != "" && r.Units[i].Name != "" &&
				!words.ShareWord(name, r.Units[i].Name) {
				continue // the same number, but another phase
			}
			said := r.statusCell(row, c, r.Units[i].Label)
			r.Units[i].StatusAt = said
			r.Units[i].Stated = append(r.Units[i].Stated, said)
			r.Units[i].Status = words.StatusOf(said.Raw, true)
		}
	}
}

// compareStatus compares a second statement of a phase's status with the first.
func (r *Reading) compareStatus(u *section.Unit, c document.Cell) {
	both := words.MergeStatus(u.Status, words.StatusOf(c.Raw, true))
	if both == u.Status {
		return
	}
	r.Warn("W-STATUS", r.Doc.Pos(c.Offset),
		fmt.Sprintf("phase %s is declared %s here and otherwise on line %d", u.Label,
			inline.Plain(c.Raw),
			r.Doc.Pos(u.StatusAt.Offset).Line),
		"make them agree; the phase counts as begun")
	u.Status = both
}

// statusCell is the cell of a row that holds the status: that of the column, else the only other
// cell that is nothing but a status. A row with a cell too few has moved it.
func (r *Reading) statusCell(row document.Row, c document.Columns, label string) document.Cell {
	said := row.At(c.Status)
	if words.StatusOf(said.Raw, true) != plan.StatusUnknown {
		return said
	}
	found := document.Cell{}
	for i, other := range row.Cells {
		if i == c.Status || i == c.Key || i == c.Name || !words.IsStatus(other.Raw) {
			continue
		}
		if found.Offset > 0 {
			return said
		}
		found = other
	}
	if found.Offset == 0 {
		return said
	}
	r.Warn("W-STATUS", r.Doc.Pos(found.Offset),
		fmt.Sprintf("the status of phase %s stands in another column", label),
		"the row has a cell too few or too many before it")
	return found
}
