package markdown

import (
	"slices"
	"strings"

	"autobuild/plan"
)

// fill reads the section of a unit: whatever the dialect, a section says the same things in the
// same ways.
func (u *unit) fill(d *document) {
	if u.from == 0 {
		return
	}
	all := d.stretches(u.from, u.to)
	u.Text, u.TextLine = strings.Trim(d.span(u.from, u.to), "\n"), u.from
	u.boxes(d, all)
	u.statements(d)
	u.scope(d, all)
	u.commands(d, all)
	u.prerequisites(d)
	u.message(d, all)
	u.Meaning = u.meaning(d)
}

// boxes collects the tasks and criteria of a section.
func (u *unit) boxes(d *document, all []stretch) {
	for _, it := range d.itemsIn(u.from, u.to) {
		if it.box == 0 || u.own > 0 && it.offset == d.items[u.own-1].offset || slices.ContainsFunc(u.twins, func(k int) bool { return d.items[k].offset == it.offset }) {
			continue
		}
		t := boxTask(d, it)
		u.begun = u.begun || boxStatus(it.box) == plan.StatusInProgress
		if isCriterion(d, it, all) {
			u.Criteria = append(u.Criteria, t)
		} else {
			u.Tasks = append(u.Tasks, t)
		}
	}
	if len(u.Tasks)+len(u.Criteria) == 0 {
		u.rowTasks(d)
	}
	if len(u.Tasks) == 0 && strings.Contains(u.Text, "<task") {
		u.xmlTasks(d)
	}
	if u.own > 0 && d.items[u.own-1].box != 0 && len(u.Tasks)+len(u.Criteria) == 0 {
		t := boxTask(d, d.items[u.own-1])
		for _, k := range u.twins {
			t.Done = t.Done && boxTask(d, d.items[k]).Done
		}
		u.Tasks = []plan.Task{t}
	}
}

// criterion reports whether a box says when the phase is done rather than what to do.
func isCriterion(d *document, it item, all []stretch) bool {
	return about(all, it.line) == classCriteria
}

func boxTask(d *document, it item) plan.Task {
	text := plain(it.raw)
	t := plan.Task{Text: text, Done: it.box == 'x' || it.box == 'X', Pos: d.pos(it.boxOffset - 1), Optional: it.star}
	t.Parallel = strings.HasPrefix(text, "[P]") || strings.Contains(text[:min(len(text), 24)], " [P]")
	return t
}

// statements reads the labels of a section that say something of the whole phase.
func (u *unit) statements(d *document) {
	for _, l := range d.labelsIn(u.from, u.introEnd(d)) {
		if l.item >= 0 && l.item != u.own-1 && d.inTask(l.item, u.own-1) {
			continue // a task may be about anything
		}
		ref := plan.Ref{Text: plain(l.value), Pos: d.pos(l.offset)}
		u.settings(d, l)
		switch {
		case slices.Contains(needLabels, l.name) && !l.loose && u.saidNeeds() == "":
			u.Needs = append(u.Needs, d.refs(l, ref)...)
		case slices.Contains(besideLabels, l.name):
			u.Beside = append(u.Beside, ref)
		case slices.Contains(unlockLabels, l.name) && l.bold:
			u.Unlocks = append(u.Unlocks, ref)
		case slices.Contains(statusLabels, l.name) && l.value != "":
			u.stated = append(u.stated, cell{raw: l.value, offset: l.offset})
			if u.statusAt.raw == "" {
				u.statusAt = cell{raw: l.value, offset: l.offset}
				u.Status = statusOf(l.value, true)
			}
		case slices.Contains(estimateNames, l.name) && u.Estimate.Text == "" && l.value != "":
			u.Estimate = estimate(ref.Text)
		}
		if strings.Contains(strings.ToLower(l.value), "no changes expected") || l.name == "no changes expected" {
			u.AllowEmpty = true
		}
	}
	for _, p := range d.parasIn(u.from, u.to) {
		if !u.AllowEmpty && strings.Contains(p.raw, "o changes expected") {
			u.AllowEmpty = strings.Contains(strings.ToLower(p.raw), "no changes expected")
		}
	}
}

// meaning is the text of a phase without what only says how far it has come: the marks in its
// boxes, what it states as its status, and its heading, whose name is compared apart.
func (u *unit) meaning(d *document) string {
	from := u.from
	if u.own == 0 && u.raw != "" {
		from++
	}
	text := d.span(from, u.to)
	if text == "" {
		return "\n"
	}
	base := d.lines[from-1]
	cuts := make([]edit, 0, 8)
	for _, it := range d.itemsIn(from, u.to) {
		switch {
		case it.picture > 0:
			cuts = append(cuts, edit{from: it.boxOffset - 1 - base, to: it.boxOffset - 1 - base + int(it.picture)})
		case it.box != 0:
			cuts = append(cuts, edit{from: it.boxOffset - base, to: it.boxOffset - base + 1})
		}
	}
	for _, c := range u.stated {
		if c.offset >= base && c.offset+len(c.raw) <= base+len(text) {
			cuts = append(cuts, edit{from: c.offset - base, to: c.offset - base + len(c.raw)})
		}
	}
	return apply(text, u.withoutDirectives(d, base, text, cuts))
}
