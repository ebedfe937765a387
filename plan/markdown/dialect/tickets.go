package dialect

import (
	"slices"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/words"
)

// tickets is the form of tables that list what is to be done without a word on its order.
type tickets struct{}

func (tickets) name() string { return "tickets" }

func (tickets) prior(*document.Document) int { return 4 }

func (tickets) signs(d *document.Document) bool { return len(ticketTables(d)) > 0 }

func (tickets) read(r *reading.Reading) {
	r.AddRows(document.JoinParts(ticketTables(r.Doc)))
	r.AttachHeadings()
}

// ticketTables finds tables whose rows are tickets: an id in the first column, or behind columns of
// numbers, and a name and a status or an estimate beside it. Tables with the same head go on with the list, also one whose
// ids begin again, so that no row is lost. Of several lists it takes the longest.
func ticketTables(d *document.Document) []document.TablePart {
	var lists []*ticketList
	for i := range d.Tables {
		t := &d.Tables[i]
		c := document.WithKey(t, document.ReadColumns(t), nil)
		if c.Key < 0 || !numbersBefore(t, c.Key) || d.IsAboutPlan(t.Line) {
			continue
		}
		head := words.HeadWords(t.Header[c.Key].Raw)
		at := slices.IndexFunc(lists, func(l *ticketList) bool { return l.head == head })
		if c = c.WithWork(t); at >= 0 {
			c = c.WithName(t) // it goes on with the list under any name
		}
		if c.Name < 0 && !namedKeys(t, c) || c.Needs < 0 && c.Status < 0 && c.Estimate < 0 {
			continue
		}
		list := &ticketList{head: head, ids: map[string]bool{}}
		if at >= 0 {
			list = lists[at]
		}
		if list.add(document.TablePart{Table: t, Columns: c}) && at < 0 {
			lists = append(lists, list)
		}
	}
	var best []document.TablePart
	most := 0
	for _, l := range lists {
		if len(l.ids) > most {
			best, most = l.parts, len(l.ids)
		}
	}
	return best
}

// numbersBefore reports whether all cells of the columns before a column are numbers, such as those
// of a priority, and those of the column itself are not.
func numbersBefore(t *document.Table, column int) bool {
	number := func(row document.Row, i int) bool {
		return words.IsNumeric(inline.Plain(row.At(i).Raw))
	}
	return !slices.ContainsFunc(t.Rows, func(row document.Row) bool {
		for i := range column {
			if !number(row, i) {
				return true
			}
		}
		return column > 0 && number(row, column)
	})
}

// ticketList is one list of tickets, in the tables that have its heads.
type ticketList struct {
	head, called string // of the columns of ids and of names
	ids          map[string]bool
	parts        []document.TablePart
}

// add adds a table, where its rows are tickets.
func (l *ticketList) add(part document.TablePart) bool {
	called, taken := "", l.ids
	if part.Name >= 0 {
		called = words.HeadWords(part.Header[part.Name].Raw)
	}
	if len(l.parts) == 0 {
		l.called = called
	} else if called == l.called {
		taken = nil
	}
	if !ticketRows(part.Table, part.Columns, l.ids, taken) {
		return false
	}
	l.parts = append(l.parts, part)
	return true
}

// ticketRows reports whether every row has an id of its own that is not taken, and adds these to
// ids.
func ticketRows(t *document.Table, c document.Columns, ids, taken map[string]bool) bool {
	var own []string
	others := 0 // rows without a number: "Release", "Total"
	for _, row := range t.Rows {
		label := words.ReadCell(row.At(c.Key).Raw).Label
		id := words.NormalID(label)
		if id == "" {
			others++
			continue
		}
		if taken[id] || words.IsNumeric(label) && words.HeadWords(t.Header[c.Key].Raw) == "#" &&
			c.Status < 0 {
			return false
		}
		own = append(own, id)
	}
	for _, id := range own {
		ids[id] = true
	}
	return len(own) >= 2 && others <= len(own)
}

// namedKeys reports whether the cells of the ids hold the names as well: "Milestone 1: Engine".
func namedKeys(t *document.Table, c document.Columns) bool {
	return c.Key >= 0 && len(t.Rows) > 0 && !slices.ContainsFunc(t.Rows,
		func(row document.Row) bool { return words.ReadCell(row.At(c.Key).Raw).Name == "" })
}

// countedRows is the form of tables that say of phases neither an order nor a status: "| No | Stage
// | Result |", with ids that go up one by one. It is a guess.
type countedRows struct{}

func (countedRows) name() string { return "tickets" }

func (countedRows) prior(*document.Document) int { return -10 }

func (countedRows) signs(d *document.Document) bool { return len(countedTables(d)) > 0 }

func (countedRows) read(r *reading.Reading) {
	parts := countedTables(r.Doc)
	if len(parts) == 0 {
		return
	}
	r.AddRows(document.JoinParts(parts))
	r.AttachHeadings()
	r.WarnDoubt("a table that numbers them", "its rows")
}

// countedTables finds the first table whose ids, in the first column, go up one by one, and that
// has a kind of phase for a head. Further tables with the same heads go on with it.
func countedTables(d *document.Document) []document.TablePart {
	var parts []document.TablePart
	var labels []string
	for i := range d.Tables {
		t := &d.Tables[i]
		c, unit := document.ReadColumns(t), unitColumn(t)
		if unit < 0 || c.Needs >= 0 || c.Status >= 0 {
			continue
		}
		c = document.WithKey(t, c, nil).WithIDs(t)
		if c.Key != 0 || d.IsAboutPlan(t.Line) ||
			len(parts) > 0 && !sameHeads(t, parts[0].Table) {
			continue
		}
		if c.Name = unit; unit == c.Key {
			c.Name = -1
			if c = c.WithName(t); namedKeys(t, c) {
				c.Name = -1
			}
		}
		now := labels
		for _, row := range numberedRows(t, c.Key) {
			if id := words.ReadCell(row.At(c.Key).Raw); !words.IsTotal(id.Label) {
				now = append(now, id.Label)
			}
		}
		if words.CountUp(now) {
			parts, labels = append(parts, document.TablePart{Table: t, Columns: c}), now
		}
	}
	return parts
}

// numberedRows are the rows of a table without those at its end that have no id: "later".
func numberedRows(t *document.Table, key int) []document.Row {
	end := len(t.Rows)
	for end > 0 && words.ReadCell(t.Rows[end-1].At(key).Raw).Label == "" {
		end--
	}
	return t.Rows[:end]
}

// unitColumn is the first column whose head is the word for a unit of work: "Phase", "Этап".
func unitColumn(t *document.Table) int {
	return slices.IndexFunc(t.Header, func(head document.Cell) bool {
		kind, _ := plan.SplitKind(words.HeadWords(head.Raw) + " 1")
		return slices.Contains(words.UnitKinds, kind) && !slices.Contains(words.PartKinds, kind)
	})
}

func sameHeads(t, other *document.Table) bool {
	return slices.EqualFunc(t.Header, other.Header, func(a, b document.Cell) bool {
		return words.HeadWords(a.Raw) == words.HeadWords(b.Raw)
	})
}
