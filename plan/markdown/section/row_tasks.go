package section

import (
	"slices"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/words"
)

// rowTasks reads the tasks of a section without boxes from its tables "| Task | Description |
// Completed |", and the name of a phase that has none from its goal, "- GOAL-001: Name".
func (u *Unit) rowTasks(d *document.Document) {
	for _, t := range document.InLines(d.Tables, func(t *document.Table) int { return t.Line },
		u.From, u.To) {
		done := -1
		for k, head := range t.Header {
			if done < 0 && slices.Contains(words.DoneNames, words.HeadWords(head.Raw)) {
				done = k
			}
		}
		c := document.WithKey(&t, document.ReadColumns(&t), nil)
		if c.Key < 0 || c.Name < 0 || done < 0 || c.Needs >= 0 {
			continue
		}
		for _, row := range t.Rows {
			id := words.ReadCell(row.At(c.Key).Raw).Label
			if id == "" {
				continue
			}
			u.NoBoxes = true
			u.Tasks = append(u.Tasks, plan.Task{
				Text: id + ": " + inline.Plain(row.At(c.Name).Raw),
				Done: ticked(row.At(done).Raw), Pos: d.Pos(row.At(c.Key).Offset),
			})
		}
	}
	if u.Name != "" || !u.NoBoxes {
		return
	}
	for _, it := range d.ItemsIn(u.From, u.To) {
		t := words.ReadTitle(it.Raw)
		if it.Depth == 0 && t.Name != "" && words.IDPrefix(t.Label) == "goal-" {
			u.Name = t.Name
			return
		}
	}
}

// ticked reports whether a cell says that a task is done.
func ticked(raw string) bool {
	return words.StatusOf(raw, true) == plan.StatusDone ||
		slices.Contains([]string{"x", "yes", "done"}, inline.Words(raw))
}
