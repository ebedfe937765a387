package document

import (
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/words"
)

// PhaseTable is one or several tables that list the phases together.
type PhaseTable struct {
	Head  string // of the key column
	Parts []TablePart
	IDs   map[string]bool
	Cover int // how many of its ids have a heading
}

// TablePart is one table of phases, with the meaning of its columns.
type TablePart struct {
	*Table
	Columns
}

// PhaseTables finds the tables that list phases: those with a column of ids and a column of
// dependencies. Tables with the same key head are parts of one, as when every wave has its own.
func (d *Document) PhaseTables() []*PhaseTable {
	if !d.phaseTablesFound { // several dialects ask
		d.phaseTablesFound, d.phaseTables = true, d.findPhaseTables()
	}
	return d.phaseTables
}

func (d *Document) findPhaseTables() []*PhaseTable {
	headed := d.headingIDs()
	known := func(id string) bool { return headed[id] }
	var found []*PhaseTable
	var undecided []TablePart
	for i := range d.Tables {
		t := &d.Tables[i]
		c := ReadColumns(t)
		c = WithKey(t, c, known)
		if c.Needs >= 0 {
			c = c.withNumbers(t)
		}
		if c.Key < 0 || len(t.Rows) == 0 {
			continue
		}
		if c.Needs < 0 && c.Unlocks < 0 {
			undecided = append(undecided, TablePart{t, c})
			continue
		}
		found = join(found, TablePart{t, c}, headed)
	}
	for _, part := range undecided {
		d.adopt(found, part, headed)
	}
	return found
}

// headingIDs lists the ids that headings of the document give.
func (d *Document) headingIDs() map[string]bool {
	ids := map[string]bool{}
	for _, h := range d.Headings {
		if h.Level == 1 && h.Title.Kind == "" {
			continue
		}
		if id, err := plan.NormalID(h.Title.Label); err == nil {
			ids[id] = true
		}
	}
	return ids
}

func join(found []*PhaseTable, part TablePart, headed map[string]bool) []*PhaseTable {
	head := words.HeadWords(part.Header[part.Key].Raw)
	var target *PhaseTable
	for _, t := range found {
		if t.Head == head {
			target = t
		}
	}
	if target == nil {
		target = &PhaseTable{Head: head, IDs: map[string]bool{}}
		found = append(found, target)
	}
	target.addPart(part, headed)
	return found
}

// JoinParts makes one table of several that list the phases together.
func JoinParts(parts []TablePart) *PhaseTable {
	t := &PhaseTable{IDs: map[string]bool{}}
	for _, part := range parts {
		t.addPart(part, nil)
	}
	return t
}

// addPart adds a table. headed are the ids that headings have.
func (t *PhaseTable) addPart(part TablePart, headed map[string]bool) {
	t.Parts = append(t.Parts, part)
	for _, r := range part.Rows {
		id, err := plan.NormalID(words.ReadCell(r.At(part.Key).Raw).Label)
		if err != nil || t.IDs[id] {
			continue
		}
		t.IDs[id] = true
		if headed[id] {
			t.Cover++
		}
	}
}

// adopt adds a table without dependencies to one that has them, when it continues the list: the
// same key head, other ids, and either a heading of the same kind above it ("Wave 1", "Wave 2"), or
// ids that begin with the same letters.
func (d *Document) adopt(found []*PhaseTable, part TablePart, headed map[string]bool) {
	head := words.HeadWords(part.Header[part.Key].Raw)
	above := d.HeadingAbove(part.Line)
	for _, t := range found {
		alike := above.Title.Kind != "" &&
			d.HeadingAbove(t.Parts[0].Line).Title.Kind == above.Title.Kind
		if t.Head != head || !alike && !t.family(part) {
			continue
		}
		for _, r := range part.Rows {
			if id, err := plan.NormalID(words.ReadCell(r.At(part.Key).Raw).Label); err != nil ||
				t.IDs[id] {
				return
			}
		}
		t.addPart(part, headed)
		last := len(t.Parts) - 1
		for k := last; k > 0 && t.Parts[k].Line < t.Parts[k-1].Line; k-- {
			t.Parts[k], t.Parts[k-1] = t.Parts[k-1], t.Parts[k]
		}
		return
	}
}

// family reports whether all ids of a table begin with the same letters as those of another.
func (t *PhaseTable) family(part TablePart) bool {
	prefix := ""
	for _, part := range append([]TablePart{part}, t.Parts...) {
		for _, r := range part.Rows {
			p := words.IDPrefix(words.ReadCell(r.At(part.Key).Raw).Label)
			if len(p) < 2 || prefix != "" && p != prefix {
				return false
			}
			prefix = p
		}
	}
	return prefix != ""
}

// RowMembers finds the list items that a row for several phases stands for: "F1-F4" where boxes F1
// to F4 exist.
func (d *Document) RowMembers(label string) []int {
	from, to, found := strings.Cut(label, "-")
	if prefix := words.IDPrefix(from); !found || prefix == "" || prefix == "?" ||
		prefix != words.IDPrefix(to) || from == to {
		return nil
	}
	var items []int
	last := false
	for i := range d.Items {
		if it := &d.Items[i]; it.Box != 0 && it.Depth == 0 && !last {
			t := words.ReadTitle(inline.FirstLine(it.Raw))
			if strings.EqualFold(t.Label, from) || len(items) > 0 &&
				words.IDPrefix(t.Label) == words.IDPrefix(from) {
				items = append(items, i)
			}
			last = strings.EqualFold(t.Label, to)
		}
	}
	if !last || len(items) < 2 {
		return nil
	}
	return items
}

// HeadingName is what a heading may call the phase of a row, after the head of the column of ids:
// "Agent A".
func (part TablePart) HeadingName(label string) string {
	head := inline.Plain(part.Header[part.Key].Raw)
	if plan.IsKind(head) {
		return ""
	}
	return head + " " + label
}

// KindWord is the head of the column of ids, where it is a kind word of phases.
func (part TablePart) KindWord() string {
	if head := inline.Plain(part.Header[part.Key].Raw); plan.IsKind(head) {
		return head
	}
	return ""
}

// CanNamePhase reports whether a row without a number is a phase: its key and another of its cells
// have text. A row that is only a title between rows is none.
func CanNamePhase(part TablePart, row Row) bool {
	if part.Needs < 0 && part.Status < 0 && part.Estimate < 0 || row.At(part.Key).Raw == "" ||
		words.IsTotal(inline.WithoutEmoji(inline.Plain(row.At(part.Key).Raw))) {
		return false
	}
	for i, c := range row.Cells {
		if i != part.Key && strings.Trim(inline.Plain(c.Raw), " -–—") != "" {
			return true
		}
	}
	return false
}

// BestTable picks the table whose ids cover most headings, then the one with most rows.
func BestTable(found []*PhaseTable) *PhaseTable {
	var best *PhaseTable
	for _, t := range found {
		if best == nil || t.Cover > best.Cover ||
			(t.Cover == best.Cover && len(t.IDs) > len(best.IDs)) {
			best = t
		}
	}
	return best
}

// DependencyText is all that a table states of dependencies, for comparison with another.
func (t *PhaseTable) DependencyText() string {
	var b strings.Builder
	for _, part := range t.Parts {
		for _, row := range part.Rows {
			b.WriteString(words.NormalID(words.ReadCell(row.At(part.Key).Raw).Label) + "=" +
				inline.Words(row.At(part.Needs).Raw) + "\n")
		}
	}
	return b.String()
}
