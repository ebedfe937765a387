package document

import (
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/words"
)

// Columns says which column of a table holds what; -1 is none.
type Columns struct {
	Key, Name, Needs, Beside, Unlocks, Estimate, Status int
}

// ReadColumns sorts the columns of a table by their heads.
func ReadColumns(t *Table) Columns {
	c := Columns{Key: -1, Name: -1, Needs: -1, Beside: -1, Unlocks: -1, Estimate: -1, Status: -1}
	for i, head := range t.Header {
		name := words.HeadWords(head.Raw)
		switch {
		case c.Needs < 0 && (slices.Contains(words.NeedNames, name) ||
			slices.Contains(words.NeedLabels, name) || slices.Contains(words.NeedWords, name)):
			c.Needs = i
		case c.Beside < 0 && slices.Contains(words.BesideNames, name):
			c.Beside = i
		case c.Unlocks < 0 && slices.Contains(words.UnlockNames, name):
			c.Unlocks = i
		case c.Estimate < 0 && slices.Contains(words.WeightNames, name):
			c.Estimate = i
		case c.Status < 0 && slices.Contains(words.StatusNames, name):
			c.Status = i
		}
	}
	for i, head := range t.Header {
		if c.Status < 0 && slices.Contains(words.DoneNames, words.HeadWords(head.Raw)) {
			c.Status = i
		}
	}
	return c
}

// Column is the first column whose head is name, in the words of words.HeadWords; -1 is none.
func (t *Table) Column(name string) int {
	return slices.IndexFunc(t.Header,
		func(head Cell) bool { return words.HeadWords(head.Raw) == name })
}

// WithKey finds the column of ids. Among columns with a head such as "ID" or "Phase", it takes the
// one with most distinct ids, else the first. Where not exactly one column has such a head, or its
// cells hold no ids, a column that holds all ids that the dependencies name wins. Cells that are
// nothing but an id, and ids that have a heading, count more.
func WithKey(t *Table, c Columns, known func(label string) bool) Columns {
	best, heads, only := 0, 0, 0
	for i, head := range t.Header {
		if i != c.Needs && slices.Contains(words.KeyNames, words.HeadWords(head.Raw)) {
			heads++
			only = i
		}
	}
	var referred []string
	if heads != 1 || len(t.Rows) > 0 && words.ReadCell(t.Rows[0].At(only).Raw).Label == "" {
		referred = t.referred(c.Needs)
	}
	for i, head := range t.Header {
		if i == c.Needs || i == c.Beside || i == c.Unlocks {
			continue
		}
		answers := len(referred) > 0 && answered(t, i, referred)
		if !answers && !slices.Contains(words.KeyNames, words.HeadWords(head.Raw)) {
			continue
		}
		score := keyScore(t, i, known)
		if answers {
			score += 4 * len(t.Rows) // what the rows refer to are its ids
		}
		if score > best {
			best, c.Key = score, i
		}
	}
	for i, head := range t.Header {
		if i != c.Key && c.Name < 0 && i != c.Needs && i != c.Beside && i != c.Unlocks &&
			slices.Contains(words.TitleNames, words.HeadWords(head.Raw)) {
			c.Name = i
		}
	}
	if c.Key < 0 && c.Needs >= 0 {
		c.Key = named(t, c)
		c = c.WithIDs(t)
	}
	for i := range t.Header {
		if c.Key >= 0 && c.Needs >= 0 && i > c.Key && c.Name < 0 &&
			!slices.Contains([]string{"status", "owner", "notes"},
				words.HeadWords(t.Header[i].Raw)) &&
			!slices.Contains(c.All(), i) {
			c.Name = i
		}
	}
	return c
}

// WithWork takes the first free column whose head is a word for work as the names, where no head
// says which they are.
func (c Columns) WithWork(t *Table) Columns {
	for i, head := range t.Header {
		if c.Name < 0 && !slices.Contains(c.All(), i) &&
			slices.Contains(words.WorkNames, words.HeadWords(head.Raw)) {
			c.Name = i
		}
	}
	return c
}

// WithName takes the first free column behind the ids for the names, where no head says which it
// is.
func (c Columns) WithName(t *Table) Columns {
	for i := c.Key + 1; c.Key >= 0 && c.Name < 0 && i < len(t.Header); i++ {
		if !slices.Contains(c.All(), i) && !slices.Contains([]string{"owner", "assignee", "notes"},
			words.HeadWords(t.Header[i].Raw)) {
			c.Name = i
		}
	}
	return c
}

// WithIDs takes the first column for the ids where no head says which they are, nor gives it another
// meaning: each of its cells is an id with a number.
func (c Columns) WithIDs(t *Table) Columns {
	if c.Key >= 0 || len(t.Rows) == 0 || slices.Contains(c.All(), 0) {
		return c
	}
	for _, row := range t.Rows {
		id := words.ReadCell(row.At(0).Raw)
		if id.Label == "" || id.Name != "" || !strings.ContainsAny(id.Label, "0123456789") {
			return c
		}
	}
	c.Key = 0
	return c
}

// withNumbers takes the first column for the ids where no head says which they are, and its cells
// are numbers that go up one by one. The names are the next column of different texts.
func (c Columns) withNumbers(t *Table) Columns {
	if c.Key >= 0 {
		return c
	}
	texts := func(column int) (list []string) {
		for _, row := range t.Rows {
			list = append(list, inline.Words(row.At(column).Raw))
		}
		return list
	}
	numbers := texts(0)
	if !words.CountUp(numbers) || slices.ContainsFunc(numbers,
		func(s string) bool { return !words.IsNumeric(s) }) {
		return c
	}
	c.Key = 0
	for i := 1; i < len(t.Header) && c.Name < 0; i++ {
		names := texts(i)
		slices.Sort(names)
		if !slices.Contains(c.All(), i) && len(slices.Compact(names)) == len(t.Rows) {
			c.Name = i
		}
	}
	return c
}

// referred lists the ids that the cells of the column of dependencies name.
func (t *Table) referred(needs int) []string {
	var ids []string
	for _, r := range t.Rows {
		for _, part := range strings.FieldsFunc(inline.Plain(r.At(needs).Raw),
			func(r rune) bool { return strings.ContainsRune(" ,;+&/、，()", r) }) {
			if strings.ContainsAny(part, "0123456789") || len(part) == 1 && part[0] >= 'A' &&
				part[0] <= 'Z' {
				ids = append(ids, words.NormalID(part))
			}
		}
	}
	return ids
}

// answered reports whether a column holds most of the ids that are referred to: different ones, and
// at most a few names between them.
func answered(t *Table, column int, referred []string) bool {
	seen := map[string]bool{}
	named, unknown := 0, 0
	for _, r := range t.Rows {
		id := words.NormalID(words.ReadCell(r.At(column).Raw).Label)
		if id == "" {
			named++
			continue
		}
		if seen[id] {
			return false
		}
		seen[id] = true
	}
	for _, id := range referred {
		if !seen[id] {
			unknown++
		}
	}
	return 2*unknown < len(referred) && 3*named <= len(t.Rows)
}

// keyScore counts the distinct ids in a column; 2 points each, and more for a bare or known id.
func keyScore(t *Table, column int, known func(label string) bool) int {
	seen := map[string]bool{}
	score := 0
	for _, r := range t.Rows {
		read := words.ReadCell(r.At(column).Raw)
		id := words.NormalID(read.Label)
		if id == "" || seen[id] {
			continue
		}
		seen[id] = true
		score += 2
		if read.Name == "" {
			score++ // nothing but an id
		}
		if known != nil && known(id) {
			score++
		}
	}
	return score
}

// named is the key column of a table whose phases have names instead of ids.
func named(t *Table, c Columns) int {
	for i, head := range t.Header {
		if !slices.Contains(c.All(), i) &&
			slices.Contains(words.KeyNames, words.HeadWords(head.Raw)) &&
			!slices.Contains([]string{"#", "no", "nr", "number"}, words.HeadWords(head.Raw)) {
			return i
		}
	}
	return t.calledBy(c)
}

// separates reports whether a rune stands between the entries of a list of names.
func separates(r rune) bool { return strings.ContainsRune(",;+&、，", r) }

// calledBy is the column whose cells the dependencies name, whatever its head: "| Part | Needs |".
func (t *Table) calledBy(c Columns) int {
	for column := range t.Header {
		if slices.Contains(c.All(), column) {
			continue
		}
		names := map[string]bool{}
		for _, r := range t.Rows {
			names[inline.Words(r.At(column).Raw)] = true
		}
		named, others := 0, 0
		for _, r := range t.Rows {
			for part := range strings.FieldsFuncSeq(inline.Plain(r.At(c.Needs).Raw), separates) {
				switch name := inline.Words(part); {
				case names[name] && name != "":
					named++
				case plan.SaysNone(part):
				default:
					others++
				}
			}
		}
		if named > 0 && others == 0 && len(names) == len(t.Rows) && !names[""] {
			return column
		}
	}
	return -1
}

// All lists the columns whose use is known.
func (c Columns) All() []int {
	return []int{c.Key, c.Needs, c.Beside, c.Unlocks, c.Estimate, c.Status}
}

// At is a cell of a row, empty when the row is too short or the column does not exist.
func (r Row) At(column int) Cell {
	if column < 0 || column >= len(r.Cells) {
		return Cell{}
	}
	return r.Cells[column]
}
