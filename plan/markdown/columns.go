package markdown

import (
	"slices"
	"strings"
)

// columns says which column of a table holds what; -1 is none.
type columns struct {
	key, name, needs, beside, unlocks, estimate, status int
}

// readColumns sorts the columns of a table by their heads.
func readColumns(t *table) columns {
	c := columns{key: -1, name: -1, needs: -1, beside: -1, unlocks: -1, estimate: -1, status: -1}
	for i, head := range t.header {
		name := headWords(head.raw)
		switch {
		case c.needs < 0 && (slices.Contains(needNames, name) || slices.Contains(needLabels, name) || slices.Contains(verbs, name)):
			c.needs = i
		case c.beside < 0 && slices.Contains(besideNames, name):
			c.beside = i
		case c.unlocks < 0 && slices.Contains(unlockNames, name):
			c.unlocks = i
		case c.estimate < 0 && slices.Contains(weightNames, name):
			c.estimate = i
		case c.status < 0 && slices.Contains(statusNames, name):
			c.status = i
		}
	}
	for i, head := range t.header {
		if c.status < 0 && slices.Contains(doneNames, headWords(head.raw)) {
			c.status = i
		}
	}
	return c
}

// keyed finds the column of ids: among those whose head can be one, the column that tells the most
// rows apart, and of equals the first. Where not exactly one head can, or its cells hold no ids,
// the column whose ids the dependencies name is it. Cells that are nothing but an id, and ids that
// have a heading, count more.
func keyed(t *table, c columns, known func(label string) bool) columns {
	best, heads, only := 0, 0, 0
	for i, head := range t.header {
		if i != c.needs && slices.Contains(keyNames, headWords(head.raw)) {
			heads++
			only = i
		}
	}
	var referred []string
	if heads != 1 || len(t.rows) > 0 && cellTitle(t.rows[0].at(only).raw).label == "" {
		referred = t.referred(c.needs)
	}
	for i, head := range t.header {
		if i == c.needs || i == c.beside || i == c.unlocks {
			continue
		}
		answers := len(referred) > 0 && answered(t, i, referred)
		if !answers && !slices.Contains(keyNames, headWords(head.raw)) {
			continue
		}
		score := keyScore(t, i, known)
		if answers {
			score += 4 * len(t.rows) // what the rows refer to are its ids
		}
		if score > best {
			best, c.key = score, i
		}
	}
	for i, head := range t.header {
		if i != c.key && c.name < 0 && i != c.needs && i != c.beside && i != c.unlocks && slices.Contains(titleNames, headWords(head.raw)) {
			c.name = i
		}
	}
	if c.key < 0 && c.needs >= 0 {
		c.key = named(t, c)
	}
	for i := range t.header {
		if c.key >= 0 && c.needs >= 0 && i > c.key && c.name < 0 && !slices.Contains([]string{"status", "owner", "notes"}, headWords(t.header[i].raw)) && !slices.Contains(c.all(), i) {
			c.name = i
		}
	}
	return c
}

// referred lists the ids that the cells of the column of dependencies name.
func (t *table) referred(needs int) []string {
	var ids []string
	for _, r := range t.rows {
		for _, part := range strings.FieldsFunc(plain(r.at(needs).raw), func(r rune) bool { return strings.ContainsRune(" ,;+&/、，()", r) }) {
			if strings.ContainsAny(part, "0123456789") || len(part) == 1 && part[0] >= 'A' && part[0] <= 'Z' {
				ids = append(ids, normal(part))
			}
		}
	}
	return ids
}

// answered reports whether a column of different ids holds all those that are referred to.
func answered(t *table, column int, referred []string) bool {
	seen := map[string]bool{}
	for _, r := range t.rows {
		id := normal(cellTitle(r.at(column).raw).label)
		if id == "" || seen[id] {
			return false
		}
		seen[id] = true
	}
	return !slices.ContainsFunc(referred, func(id string) bool { return !seen[id] })
}

// keyScore says how well a column tells the rows of a table apart.
func keyScore(t *table, column int, known func(label string) bool) int {
	seen := map[string]bool{}
	score := 0
	for _, r := range t.rows {
		read := cellTitle(r.at(column).raw)
		id := normal(read.label)
		if id == "" || seen[id] {
			continue
		}
		seen[id] = true
		score += 2
		if read.name == "" {
			score++ // nothing but an id
		}
		if known != nil && known(id) {
			score++
		}
	}
	return score
}

// named is the key column of a table whose phases have names instead of ids.
func named(t *table, c columns) int {
	for i, head := range t.header {
		if !slices.Contains(c.all(), i) && slices.Contains(keyNames, headWords(head.raw)) && !slices.Contains([]string{"#", "no", "nr", "number"}, headWords(head.raw)) {
			return i
		}
	}
	return -1
}

// all lists the columns whose use is known.
func (c columns) all() []int {
	return []int{c.key, c.needs, c.beside, c.unlocks, c.estimate, c.status}
}

// at is a cell of a row, empty when the row is too short or the column does not exist.
func (r row) at(column int) cell {
	if column < 0 || column >= len(r.cells) {
		return cell{}
	}
	return r.cells[column]
}
