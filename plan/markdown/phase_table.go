package markdown

import (
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

// says is all that a table states of dependencies, for comparison with another.
func (t *phaseTable) says() string {
	var b strings.Builder
	for _, part := range t.parts {
		for _, row := range part.rows {
			b.WriteString(normal(cellTitle(row.at(part.key).raw).label) + "=" + words(row.at(part.needs).raw) + "\n")
		}
	}
	return b.String()
}
