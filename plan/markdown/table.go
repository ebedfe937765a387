package markdown

import (
	"fmt"
	"strings"

	"autobuild/plan"
)

// phaseTable is one or several tables that list the phases together.
type phaseTable struct {
	head  string // of the key column
	parts []tablePart
	ids   map[string]bool
	cover int // how many of its ids have a heading
}

type tablePart struct {
	*table
	columns
}

// phaseTables finds the tables that list phases: those with a column of ids and a column of
// dependencies. Tables with the same key head are parts of one, as when every wave has its own.
func (d *document) phaseTables() []*phaseTable {
	if !d.listed { // several dialects ask
		d.listed, d.lists = true, d.findPhaseTables()
	}
	return d.lists
}

func (d *document) findPhaseTables() []*phaseTable {
	headed := d.headed()
	known := func(id string) bool { return headed[id] }
	var found []*phaseTable
	var undecided []tablePart
	for i := range d.tables {
		t := &d.tables[i]
		c := readColumns(t)
		c = keyed(t, c, known)
		if c.key < 0 || len(t.rows) == 0 {
			continue
		}
		if c.needs < 0 && c.unlocks < 0 {
			undecided = append(undecided, tablePart{t, c})
			continue
		}
		found = join(found, tablePart{t, c}, headed)
	}
	for _, part := range undecided {
		d.adopt(found, part, headed)
	}
	return found
}

// headed lists the ids that headings of the document give.
func (d *document) headed() map[string]bool {
	ids := map[string]bool{}
	for _, h := range d.heads {
		if h.level == 1 && h.title.kind == "" {
			continue
		}
		if id, err := plan.NormalID(h.title.label); err == nil {
			ids[id] = true
		}
	}
	return ids
}

func join(found []*phaseTable, part tablePart, headed map[string]bool) []*phaseTable {
	head := headWords(part.header[part.key].raw)
	var target *phaseTable
	for _, t := range found {
		if t.head == head {
			target = t
		}
	}
	if target == nil {
		target = &phaseTable{head: head, ids: map[string]bool{}}
		found = append(found, target)
	}
	target.add(part, headed)
	return found
}

func (t *phaseTable) add(part tablePart, headed map[string]bool) {
	t.parts = append(t.parts, part)
	for _, r := range part.rows {
		id, err := plan.NormalID(cellTitle(r.at(part.key).raw).label)
		if err != nil || t.ids[id] {
			continue
		}
		t.ids[id] = true
		if headed[id] {
			t.cover++
		}
	}
}

// adopt adds a table without dependencies to one that has them, when it only goes on with the list:
// the same key head, none of the same ids, and either a heading of the same kind above it ("Wave
// 1", "Wave 2"), or ids that begin with the same letters.
func (d *document) adopt(found []*phaseTable, part tablePart, headed map[string]bool) {
	head := headWords(part.header[part.key].raw)
	above := d.above(part.line)
	for _, t := range found {
		alike := above.title.kind != "" && d.above(t.parts[0].line).title.kind == above.title.kind
		if t.head != head || !alike && !t.family(part) {
			continue
		}
		for _, r := range part.rows {
			if id, err := plan.NormalID(cellTitle(r.at(part.key).raw).label); err != nil || t.ids[id] {
				return
			}
		}
		t.add(part, headed)
		last := len(t.parts) - 1
		for k := last; k > 0 && t.parts[k].line < t.parts[k-1].line; k-- {
			t.parts[k], t.parts[k-1] = t.parts[k-1], t.parts[k]
		}
		return
	}
}

// family reports whether all ids of a table begin with the same letters as those of another.
func (t *phaseTable) family(part tablePart) bool {
	prefix := ""
	for _, part := range append([]tablePart{part}, t.parts...) {
		for _, r := range part.rows {
			p := idPrefix(cellTitle(r.at(part.key).raw).label)
			if len(p) < 2 || prefix != "" && p != prefix {
				return false
			}
			prefix = p
		}
	}
	return prefix != ""
}

// above is the heading that a line stands under.
func (d *document) above(line int) heading {
	heads := d.headsIn(0, line)
	if len(heads) == 0 {
		return heading{}
	}
	return heads[len(heads)-1]
}

// bestTable picks the table whose ids cover most headings, then the one with most rows.
func bestTable(found []*phaseTable) *phaseTable {
	var best *phaseTable
	for _, t := range found {
		if best == nil || t.cover > best.cover || (t.cover == best.cover && len(t.ids) > len(best.ids)) {
			best = t
		}
	}
	return best
}

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

// members finds the list items that a row for several phases stands for: "F1-F4" where boxes F1 to
// F4 exist.
func (d *document) members(label string) []int {
	from, to, found := strings.Cut(label, "-")
	if prefix := idPrefix(from); !found || prefix == "" || prefix == "?" || prefix != idPrefix(to) || from == to {
		return nil
	}
	var items []int
	last := false
	for i := range d.items {
		if it := &d.items[i]; it.box != 0 && it.depth == 0 && !last {
			t := readTitle(firstLine(it.raw))
			if strings.EqualFold(t.label, from) || len(items) > 0 && idPrefix(t.label) == idPrefix(from) {
				items = append(items, i)
			}
			last = strings.EqualFold(t.label, to)
		}
	}
	if !last || len(items) < 2 {
		return nil
	}
	return items
}

// expand makes a unit of each item that a row stands for.
func (r *reading) expand(row unit, items []int) {
	for _, i := range items {
		it := &r.doc.items[i]
		t := readTitle(firstLine(it.raw))
		u := row
		u.title, u.Label, u.Name = t, t.label, t.name
		u.from, u.to, u.own, u.off, u.raw = it.line, it.end, i+1, it.off, it.raw
		u.Pos, u.Width, u.Status = r.doc.pos(it.off), len(firstLine(it.raw)), boxStatus(it.box)
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
	u := unit{title: t, row: row.line, off: key.off, raw: key.raw}
	u.Label, u.Name, u.Aliases = t.label, t.name, aliases
	u.Pos, u.Width = d.pos(key.off), len(key.raw)
	u.Row = u.Pos
	if name := row.at(part.name).raw; u.Name == "" && name != "" {
		u.Name = withoutMarks(plain(name))
	}
	u.called = u.Name
	u.Status = t.status
	if t.struck {
		u.Status = plan.StatusSkipped
	}
	if c := row.at(part.status); c.off > 0 {
		u.status = c
		u.stated = append(u.stated, c)
		if s := statusOf(c.raw, true); s != plan.StatusUnknown && !t.struck {
			u.Status = s
		}
	} else if t.status != plan.StatusUnknown {
		key.title = true
		u.status = key
		u.stated = append(u.stated, key)
	}
	if part.needs >= 0 {
		c := row.at(part.needs)
		pos := d.pos(c.off)
		if c.off == 0 {
			pos = u.Pos
			r.short(part, row, u.Label)
		}
		u.Needs = []plan.Ref{{Text: cellList(c.raw), Pos: pos}}
	}
	if c := row.at(part.beside); c.raw != "" {
		u.Beside = []plan.Ref{{Text: cellList(c.raw), Pos: d.pos(c.off)}}
	}
	if c := row.at(part.unlocks); c.raw != "" {
		u.Unlocks = []plan.Ref{{Text: cellList(c.raw), Pos: d.pos(c.off)}}
	}
	if c := row.at(part.estimate); c.raw != "" {
		u.Estimate = estimate(c.raw)
	}
	return u, true
}

// calls is what a heading may call the phase of a row, after the head of the column of ids: "Agent
// A".
func (part tablePart) calls(label string) string {
	head := plain(part.header[part.key].raw)
	if plan.IsKind(head) {
		return ""
	}
	return head + " " + label
}

// nameable reports whether a row without a number is a phase all the same: its key says something,
// and so does another of its cells. A line of the table that is only a title between rows is none.
func nameable(part tablePart, row row) bool {
	if part.needs < 0 && part.status < 0 && part.estimate < 0 || row.at(part.key).raw == "" || summing(unadorned(plain(row.at(part.key).raw))) {
		return false
	}
	for i, c := range row.cells {
		if i != part.key && strings.Trim(plain(c.raw), " -–—") != "" {
			return true
		}
	}
	return false
}

// summing reports whether a row only adds up the others.
func summing(label string) bool {
	return among([]string{"total", "totals", "sum", "gesamt", "summe", "合计", "总计", "合計", "합계", "totaal", "итого", "всего"}, strings.ToLower(strings.TrimSpace(label)))
}

// cellList is the text of a list in a cell; a line break there separates.
func cellList(raw string) string {
	for _, br := range []string{"<br>", "<br/>", "<br />"} {
		raw = strings.ReplaceAll(raw, br, ", ")
	}
	return plain(raw)
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
