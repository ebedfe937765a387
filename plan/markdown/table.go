package markdown

import (
	"fmt"
	"strings"

	"autobuild/plan"
)

// rows makes a unit of every row that names a phase.
func (r *reading) rows(t *phaseTable) {
	slugs := len(t.ids) == 0
	seen := map[string]int{}
	count := 0
	for _, part := range t.parts {
		count += len(part.rows)
	}
	r.units = make([]unit, 0, count)
	for _, part := range t.parts {
		for _, row := range part.rows {
			u, ok := r.rowUnit(part, row, slugs)
			if !ok {
				continue
			}
			if members := r.doc.members(u.Label); members != nil {
				r.expand(u, members)
				continue
			}
			id, err := plan.NormalID(u.Label)
			if at, twice := seen[id]; err == nil && twice && r.sameRow(&r.units[at], &u) {
				continue
			}
			seen[id] = len(r.units)
			r.units = append(r.units, u)
		}
	}
}

// expand makes a unit of each item that a row stands for.
func (r *reading) expand(row unit, items []int) {
	for _, i := range items {
		it := &r.doc.items[i]
		t := readTitle(firstLine(it.raw))
		u := row
		u.title, u.Label, u.Name = t, t.label, t.name
		u.from, u.to, u.own, u.offset, u.raw = it.line, it.end, i+1, it.offset, it.raw
		u.Pos, u.Width, u.Status = r.doc.pos(it.offset), len(firstLine(it.raw)), boxStatus(it.box)
		r.units = append(r.units, u)
	}
}

// sameRow merges a second row of one phase into the first when both say the same of its
// dependencies, and spell its id or its name alike.
func (r *reading) sameRow(first, second *unit) bool {
	text := func(u *unit) string {
		if len(u.Needs) == 0 {
			return ""
		}
		return strings.ToLower(u.Needs[0].Text)
	}
	// "2A" and "2-a" may be two phases
	spelt := strings.EqualFold(first.Label, second.Label) || strings.EqualFold(first.Name, second.Name)
	if text(first) != text(second) || !spelt {
		return false
	}
	r.warn("W-DUP", second.Pos, fmt.Sprintf("phase %s has two rows, on lines %d and %d, which are read as one", second.Label, first.Pos.Line, second.Pos.Line), "")
	first.Status = mergedStatus(first.Status, second.Status)
	first.stated = append(first.stated, second.stated...)
	return true
}

func (r *reading) rowUnit(part tablePart, row row, slugs bool) (unit, bool) {
	d := r.doc
	key := row.at(part.key)
	t := cellTitle(key.raw)
	var aliases []string
	if t.label == "" && (slugs || nameable(part, row)) {
		t.label = unadorned(plain(key.raw))
		if short, _, found := strings.Cut(t.label, "("); found && strings.TrimSpace(short) != "" {
			aliases = []string{short}
		}
	}
	if t.label == "" || summing(t.label) {
		return unit{}, false
	}
	t.called = part.calls(t.label)
	u := unit{title: t, rowLine: row.line, offset: key.offset, raw: key.raw}
	u.Label, u.Name, u.Aliases = t.label, t.name, aliases
	u.Pos, u.Width = d.pos(key.offset), len(key.raw)
	u.Row = u.Pos
	if name := row.at(part.name).raw; u.Name == "" && name != "" {
		u.Name = withoutMarks(plain(name))
	}
	u.called = u.Name
	u.Status = t.status
	if t.struck {
		u.Status = plan.StatusSkipped
	}
	if c := row.at(part.status); c.offset > 0 {
		u.statusAt = c
		u.stated = append(u.stated, c)
		if s := statusOf(c.raw, true); s != plan.StatusUnknown && !t.struck {
			u.Status = s
		}
	} else if t.status != plan.StatusUnknown {
		key.title = true
		u.statusAt = key
		u.stated = append(u.stated, key)
	}
	if part.needs >= 0 {
		c := row.at(part.needs)
		pos := d.pos(c.offset)
		if c.offset == 0 {
			pos = u.Pos
			r.short(part, row, u.Label)
		}
		u.Needs = []plan.Ref{{Text: cellList(c.raw), Pos: pos}}
	}
	if c := row.at(part.beside); c.raw != "" {
		u.Beside = []plan.Ref{{Text: cellList(c.raw), Pos: d.pos(c.offset)}}
	}
	if c := row.at(part.unlocks); c.raw != "" {
		u.Unlocks = []plan.Ref{{Text: cellList(c.raw), Pos: d.pos(c.offset)}}
	}
	if c := row.at(part.estimate); c.raw != "" {
		u.Estimate = estimate(c.raw)
	}
	return u, true
}

// short reports a row that ends before its dependencies.
func (r *reading) short(part tablePart, row row, label string) {
	line := r.doc.line(row.line)
	r.found = append(r.found, plan.Problem{
		Code: "E-TABLE", Severity: plan.Error, Pos: plan.Pos{Line: row.line, Col: 1}, Width: len(line), Line: line,
		Message: fmt.Sprintf("the row of phase %s has %d cells, too few for its dependencies", label, len(row.cells)),
		Hint:    fmt.Sprintf("the table has %d columns; write \"none\" where there are no dependencies", len(part.header)),
	})
}
