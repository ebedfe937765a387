package section

import (
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
)

// rowTasks reads the tasks of a section without boxes from its tables "| Task | Description |
// Completed |".
func (u *Unit) rowTasks(d *document.Document) {
	for _, t := range document.InLines(d.Tables, func(t *document.Table) int { return t.Line },
		u.From, u.To) {
		done, key := t.Column("column status"), t.Column("column id")
		name := t.ColumnBeside("column name", key)
		if name < 0 {
			name = key + 1
		}
		if key < 0 || done < 0 || name == done || t.Column("needs") >= 0 {
			continue
		}
		for _, row := range t.Rows {
			id := document.ReadCell(row.At(key).Raw).Label
			if id == "" {
				continue
			}
			u.NoBoxes = true
			u.Tasks = append(u.Tasks, plan.Task{
				Text: id + ": " + inline.Plain(row.At(name).Raw),
				Done: document.StatusOf(row.At(done).Raw) == plan.StatusDone,
				Pos:  d.Pos(row.At(key).Offset),
			})
		}
	}
}
