package markdown

import (
	"slices"

	"autobuild/plan"
)

// rowTasks reads the tasks of a section without boxes from its tables "| Task | Description |
// Completed |", and the name of a phase that has none from its goal, "- GOAL-001: Name".
func (u *unit) rowTasks(d *document) {
	for _, t := range within(d.tables, func(t *table) int { return t.line }, u.from, u.to) {
		done := -1
		for k, head := range t.header {
			if done < 0 && slices.Contains(doneNames, headWords(head.raw)) {
				done = k
			}
		}
		c := keyed(&t, readColumns(&t), nil)
		if c.key < 0 || c.name < 0 || done < 0 || c.needs >= 0 {
			continue
		}
		for _, row := range t.rows {
			id := cellTitle(row.at(c.key).raw).label
			if id == "" {
				continue
			}
			u.unboxed = true
			u.Tasks = append(u.Tasks, plan.Task{
				Text: id + ": " + plain(row.at(c.name).raw),
				Done: ticked(row.at(done).raw), Pos: d.pos(row.at(c.key).offset),
			})
		}
	}
	if u.Name != "" || !u.unboxed {
		return
	}
	for _, it := range d.itemsIn(u.from, u.to) {
		t := readTitle(it.raw)
		if it.depth == 0 && t.name != "" && idPrefix(t.label) == "goal-" {
			u.Name = t.name
			return
		}
	}
}

// ticked reports whether a cell says that a task is done.
func ticked(raw string) bool {
	return statusOf(raw, true) == plan.StatusDone || slices.Contains([]string{"x", "yes", "done"}, words(raw))
}
