package markdown

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/section"
)

// phaseRows are tables whose rows are phases: those with one head of ids and one prefix.
type phaseRows struct {
	tables   []int
	key      int
	head     string
	prefix   string
	rows     []document.Row
	titles   []document.Title
	unique   int // ids
	coded    int // ids with a number
	referred int // rows that depend on others by these ids
	joined   int // rows with a heading of their id
}

// phaseTable reads the rows of a table as phases.
func (r *reading) phaseTable(forced bool) {
	byID := r.headingsByID()
	var all []*phaseRows
	for i := range r.doc.Tables {
		p := r.rowsOf(i, byID)
		if p == nil {
			continue
		}
		same := slices.IndexFunc(all, func(o *phaseRows) bool { return o.head == p.head && o.prefix == p.prefix && !sharesID(o, p) })
		if same < 0 {
			all = append(all, p)
			continue
		}
		o := all[same]
		o.tables, o.rows, o.titles = append(o.tables, p.tables...), append(o.rows, p.rows...), append(o.titles, p.titles...)
		o.joined += p.joined
	}
	if !forced {
		all = slices.DeleteFunc(all, func(p *phaseRows) bool { return r.isDecoy(p) })
	}
	if len(all) == 0 {
		r.misspeltColumn(byID)
		return
	}
	slices.SortStableFunc(all, func(a, b *phaseRows) int {
		return cmp.Or(b.joined-a.joined, len(b.rows)-len(a.rows))
	})
	p := all[0]
	if len(all) > 1 && all[1].joined == p.joined && len(all[1].rows) == len(p.rows) && sharesID(all[1], p) {
		r.rivals(p, all[1])
	}
	r.addTwinTables(p)
	r.listed = map[int]int{}
	for _, i := range p.tables {
		r.listed[i] = p.key
	}
	for k := range p.rows {
		r.addRow(p, k)
	}
	for _, i := range p.tables {
		r.nearColumns(&r.doc.Tables[i])
	}
	r.mergeRows()
	r.joinHeadings(byID)
}

// addTwinTables adds the tables with the same head and prefix of ids that say nothing of
// dependencies.
func (r *reading) addTwinTables(p *phaseRows) {
	if p.prefix == "" {
		return
	}
	for i := range r.doc.Tables {
		t := &r.doc.Tables[i]
		if slices.Contains(p.tables, i) || p.key >= len(t.Header) || t.Head(p.key) != p.head {
			continue
		}
		q := &phaseRows{tables: []int{i}, key: p.key, head: p.head}
		for _, row := range t.Rows {
			if title := document.ReadCell(row.At(p.key).Raw); prefix(title.Label) == p.prefix {
				q.rows, q.titles = append(q.rows, row), append(q.titles, title)
			}
		}
		if len(q.rows) == len(t.Rows) && !sharesID(p, q) {
			at, _ := slices.BinarySearchFunc(p.rows, t.Line, func(row document.Row, line int) int { return row.Line - line })
			p.rows, p.titles = slices.Insert(p.rows, at, q.rows...), slices.Insert(p.titles, at, q.titles...)
			p.tables = append(p.tables, i)
		}
	}
}

func sharesID(a, b *phaseRows) bool {
	have := map[string]bool{}
	for _, t := range a.titles {
		have[idOf(t.Label)] = true
	}
	return slices.ContainsFunc(b.titles, func(t document.Title) bool { return have[idOf(t.Label)] })
}

// headingsByID lists the headings with an ordinal, by id.
func (r *reading) headingsByID() map[string][]int {
	byID := map[string][]int{}
	for i := range r.doc.Headings {
		h := &r.doc.Headings[i]
		switch name := document.Bare(h.Text); {
		case h.Title.Label != "" && (!r.aside[h.Line] || h.Title.Kind != ""):
			byID[idOf(h.Title.Label)] = append(byID[idOf(h.Title.Label)], i)
		case h.Title.Label == "" && h.Level > 1 && len(name) < 40: // a row may name it
			byID[idOf(name)] = append(byID[idOf(name)], i)
		}
	}
	return byID
}

// needsColumn is the column of dependencies of a table, -1 for none; weak says that its head may
// also be that of a list of tools.
func needsColumn(t *document.Table) (column int, weak bool) {
	if column = t.Column("needs"); column >= 0 {
		return column, false
	}
	return t.Column("needs weak"), true
}

// rowsOf are the phases of a table; nil: it does not list any. Of several columns of ids that counts
// by which the rows refer to each other.
func (r *reading) rowsOf(i int, byID map[string][]int) (best *phaseRows) {
	t := &r.doc.Tables[i]
	needs, weak := needsColumn(t)
	if needs < 0 && t.Column("column wave") < 0 || t.Column("column other") >= 0 {
		return nil
	}
	for key := range t.Header {
		named := plan.IsWord("column id", t.Head(key))
		if key == needs || t.Head(key) != "" && !named && key > 0 {
			continue
		}
		p := keyed(t, i, key)
		known := len(p.rows)
		if needs >= 0 {
			p.referred = r.referring(needs, p)
		}
		switch {
		case known < 1, known-p.unique > max(1, known/3), needs < 0 && known < 2,
			!named && p.coded*2 < max(known, 1) && (key > 0 || p.referred == 0 || p.unique < known),
			weak && needs >= 0 && p.referred == 0:
			continue
		}
		if p.prefix = prefix(p.titles[0].Label); len(p.prefix) == len(p.titles[0].Label) {
			p.prefix = ""
		}
		p.joined = r.countJoined(p, byID)
		if best == nil || cmp.Or(p.referred-best.referred, p.unique-best.unique) > 0 {
			best = p
		}
	}
	return best
}

// keyed are the rows of a table with the ids of a column.
func keyed(t *document.Table, i, key int) *phaseRows {
	p := &phaseRows{tables: []int{i}, key: key, head: t.Head(key)}
	seen := map[string]bool{}
	for _, row := range t.Rows {
		title := document.ReadCell(row.At(key).Raw)
		id := idOf(title.Label)
		if title.Label == "" || summary(title.Label) {
			continue
		}
		if title.Kind == "" && plan.IsKind(p.head) {
			title.Kind, _ = plan.SplitKind(p.head + " 1")
		}
		if strings.ContainsAny(id, "0123456789") || len(id) == 1 {
			p.coded++
		}
		seen[id] = true
		p.rows, p.titles = append(p.rows, row), append(p.titles, title)
	}
	p.unique = len(seen)
	return p
}

// countJoined counts the rows with a heading of their id.
func (r *reading) countJoined(p *phaseRows, byID map[string][]int) (n int) {
	for _, t := range p.titles {
		if len(byID[idOf(t.Label)]) > 0 {
			n++
		}
	}
	return n
}

// summary reports whether the cell of an id is that of a row about the whole: "Total".
func summary(label string) bool {
	switch strings.ToLower(label) {
	case "total", "totals", "sum", "all", "summe", "gesamt", "合计", "總計":
		return true
	}
	return false
}

// referring counts the rows whose column of dependencies names other rows.
func (r *reading) referring(column int, p *phaseRows) (n int) {
	phases := make([]plan.DraftPhase, len(p.titles))
	for k, title := range p.titles {
		phases[k].Label, phases[k].Kind, phases[k].Name = title.Label, title.Kind, title.Name
	}
	names := plan.NewNames(phases, nil)
	for _, row := range p.rows {
		if len(names.Mentions(inline.References(row.At(column).Raw))) > 0 {
			n++
		}
	}
	return n
}

// isDecoy reports whether a table lists other things than the phases: the headings with boxes are
// not those that it lists.
func (r *reading) isDecoy(p *phaseRows) bool {
	if p.joined*2 >= len(p.rows) {
		return false
	}
	s := r.chooseHeadings(false)
	if s == nil || s.boxes == 0 {
		boxes := r.boxCount()
		return s == nil && boxes > 3 && p.joined == 0 && r.boxesNamed(p) == 0 && r.hasBoxPhases()
	}
	return true
}

// hasBoxPhases reports whether the boxes of the document are phases by themselves.
func (r *reading) hasBoxPhases() bool {
	other := *r
	other.units, other.found = nil, nil
	other.phaseBoxes(false)
	return len(other.units) > 1
}

// boxesNamed counts the boxes with an id of the rows.
func (r *reading) boxesNamed(p *phaseRows) (n int) {
	have := map[string]bool{}
	for _, t := range p.titles {
		have[idOf(t.Label)] = true
	}
	for i := range r.doc.Items {
		if it := &r.doc.Items[i]; r.counts(it) && have[idOf(r.itemTitle(it).Label)] {
			n++
		}
	}
	return n
}

func (r *reading) rivals(p, q *phaseRows) {
	a, b := &r.doc.Tables[p.tables[0]], &r.doc.Tables[q.tables[0]]
	all := func(row document.Row) (words string) {
		for _, c := range row.Cells {
			words += inline.Words(c.Raw) + "|"
		}
		return words
	}
	for k := range p.rows {
		if all(p.rows[k]) != all(q.rows[k]) {
			r.report("E-RIVAL", plan.Error, b.Line, r.doc.Line(b.Line), fmt.Sprintf(
				"the tables on lines %d and %d both list the phases and do not say the same", a.Line, b.Line),
				"remove one, or take its column of dependencies out")
			return
		}
	}
}

// addRow adds the phase of a row.
func (r *reading) addRow(p *phaseRows, k int) {
	row, title := p.rows[k], p.titles[k]
	t := r.tableOf(row.Line)
	cell := row.At(p.key)
	u := section.Unit{Title: title, RowLine: row.Line, Offset: cell.Offset}
	u.Label, u.Kind, u.Name = title.Label, title.Kind, title.Name
	u.Pos, u.Width = r.doc.Pos(cell.Offset), len(cell.Raw)
	u.Row = u.Pos
	if name := t.ColumnBeside("column name", p.key); name >= 0 {
		u.Called = document.Bare(inline.Plain(row.At(name).Raw))
	}
	if u.Name == "" {
		u.Name = u.Called
	}
	needs, weak := needsColumn(t)
	if needs >= 0 {
		ref := plan.Ref{Text: inline.References(row.At(needs).Raw), Pos: r.doc.Pos(row.At(needs).Offset), Weak: weak}
		switch {
		case needs >= len(row.Cells):
			r.report("E-TABLE", plan.Error, row.Line, r.doc.Line(row.Line), fmt.Sprintf(
				"the row of phase %s ends before its dependencies", u.Label),
				"give it as many cells as the header has, and write \"none\" where there is nothing to say")
		default:
			u.Needs = []plan.Ref{ref}
		}
	}
	for column := range t.Header {
		head, at := t.Head(column), row.At(column)
		if column == p.key || column == needs || strings.TrimSpace(at.Raw) == "" &&
			(!plan.IsWord("column status", head) || column >= len(row.Cells)) {
			continue
		}
		ref := plan.Ref{Text: inline.References(at.Raw), Pos: r.doc.Pos(at.Offset), Weak: true}
		switch {
		case plan.IsWord("needs weak", head) && !plan.SaysNone(ref.Text):
			u.Again = append(u.Again, ref)
		case plan.IsWord("beside", head):
			if !plan.SaysNone(at.Raw) && document.StatusOf(at.Raw) == plan.StatusUnknown {
				ref.Weak = false
				u.Beside = append(u.Beside, ref)
			}
		case plan.IsWord("blocks", head):
			u.Unlocks = append(u.Unlocks, ref)
		case plan.IsWord("column wave", head):
			u.Around = append(u.Around, "Wave "+inline.Plain(at.Raw))
		case plan.IsWord("column status", head):
			status := document.StatusOf(at.Raw)
			if u.Status == plan.StatusUnknown {
				u.Status, u.StatusAt = status, at
			}
			u.Stated = append(u.Stated, at)
		case plan.IsWord("column estimate", head) && u.Estimate.Text == "":
			u.Estimate = document.Estimate(inline.Plain(at.Raw))
		}
	}
	if title.Stated && u.Status == plan.StatusUnknown {
		u.Status, u.StatusAt = title.Status, cell
		u.Stated = append(u.Stated, document.Cell{Raw: cell.Raw, Offset: cell.Offset, Title: true})
	}
	r.units = append(r.units, u)
}

// mergeRows reads several rows of one id as one phase, with a warning. Rows that do not say the same
// of dependencies stay apart, and are refused.
func (r *reading) mergeRows() {
	first := map[string]int{}
	var kept []section.Unit
	for _, u := range r.units {
		at, taken := first[idOf(u.Label)]
		if !taken {
			first[idOf(u.Label)] = len(kept)
			kept = append(kept, u)
			continue
		}
		one := &kept[at]
		if !r.sameRow(one, &u) || len(one.Needs) != len(u.Needs) || len(u.Needs) > 0 && inline.Words(one.Needs[0].Text) != inline.Words(u.Needs[0].Text) {
			kept = append(kept, u)
			continue
		}
		one.Stated = append(one.Stated, u.Stated...)
		if one.Status != u.Status {
			one.Status = plan.StatusInProgress
		}
		r.report("W-DUP", plan.Warning, u.RowLine, u.Label, fmt.Sprintf(
			"phase %s has a row on line %d and on line %d, and is read as one", u.Label, one.RowLine, u.RowLine),
			"remove one of the two")
	}
	r.units = kept
}

// sameRow reports whether two rows of one id mean one phase: by their names, or by a heading that has
// another name than both.
func (r *reading) sameRow(a, b *section.Unit) bool {
	if inline.Words(a.Name) == inline.Words(b.Name) {
		return true
	}
	return a.Label == b.Label && slices.ContainsFunc(r.doc.Headings, func(h document.Heading) bool {
		return h.Title.Label == a.Label && h.Title.Name != a.Name && h.Title.Name != b.Name
	})
}

func (r *reading) tableOf(line int) *document.Table {
	at := slices.IndexFunc(r.doc.Tables, func(t document.Table) bool {
		return len(t.Rows) > 0 && t.Rows[0].Line <= line && line <= t.Rows[len(t.Rows)-1].Line
	})
	return &r.doc.Tables[at]
}

// joinHeadings gives the rows their headings: those of the level that most of them have. A heading
// of the same level and kind without a row is a phase as well.
func (r *reading) joinHeadings(byID map[string][]int) {
	levels := make([]int, document.MaxLevel+2)
	for i := range r.units {
		for _, h := range byID[idOf(r.units[i].Label)] {
			levels[r.doc.Headings[h].Level]++
		}
	}
	level := slices.Index(levels, slices.Max(levels))
	kinds, joined, rows := map[string]int{}, map[int]bool{}, map[string]bool{}
	for i := range r.units {
		u := &r.units[i]
		rows[idOf(u.Label)] = true
		list := byID[idOf(u.Label)]
		if len(list) == 0 {
			continue
		}
		best := slices.MaxFunc(list, func(a, b int) int {
			return cmp.Or(r.fit(a, level, u)-r.fit(b, level, u), b-a)
		})
		h := &r.doc.Headings[best]
		r.reportSections(u, h, list)
		if !joined[best] {
			joined[best] = true
			kind, _ := groupOf(&h.Title)
			kinds[kind]++
			r.join(u, h)
		}
	}
	for i := range r.doc.Headings {
		h := &r.doc.Headings[i]
		kind, _ := groupOf(&h.Title)
		chapter := kind == "" && !r.hasBoxes(h.Line, h.End)
		if h.Level == level && h.Title.Label != "" && kinds[kind] > 1 && !r.aside[h.Line] &&
			!rows[idOf(h.Title.Label)] && !chapter {
			r.addRowless(i)
		}
	}
	for i := range r.units {
		if u := &r.units[i]; u.From == 0 && len(joined) > 0 {
			r.report("W-ONLY-TABLE", plan.Warning, u.RowLine, u.Label, fmt.Sprintf(
				"phase %s has a row in the table, and no section", u.Label),
				"add a heading for it: the agent gets only its name")
		}
	}
}

// reportSections refuses a phase with two sections of work.
func (r *reading) reportSections(u *section.Unit, h *document.Heading, list []int) {
	for _, other := range list {
		o := &r.doc.Headings[other]
		if o.Line != h.Line && o.Level == h.Level && o.Title.Kind == h.Title.Kind &&
			r.hasBoxes(o.Line, o.End) && r.hasBoxes(h.Line, h.End) {
			r.report("E-DUP-ID", plan.Error, o.Line, o.Raw, fmt.Sprintf(
				"phase %s has two sections, on lines %d and %d", u.Label, h.Line, o.Line),
				"keep one of them, or give one another id")
		}
	}
}

// addRowless adds the phase of a heading that no row lists, behind the one before it.
func (r *reading) addRowless(i int) {
	h := &r.doc.Headings[i]
	at := 0
	for k := range r.units {
		if r.units[k].From > 0 && r.units[k].From < h.Line {
			at = k + 1
		}
	}
	r.addHeading(i)
	u := r.units[len(r.units)-1]
	r.units = slices.Insert(r.units[:len(r.units)-1], at, u)
	r.report("W-ONLY-HEADING", plan.Warning, h.Line, h.Raw, fmt.Sprintf(
		"phase %s has a section, and no row in the table of phases", u.Label), "add a row for it")
}

func (r *reading) hasBoxes(from, to int) bool {
	return slices.ContainsFunc(r.doc.ItemsIn(from, to), func(it document.Item) bool { return it.Box != 0 })
}

// fit says how well a heading fits a row.
func (r *reading) fit(heading, level int, u *section.Unit) (n int) {
	h := &r.doc.Headings[heading]
	if h.Level == level {
		n += 4
	}
	if u.Kind != "" && h.Title.Kind == u.Kind {
		n += 2
	}
	if r.hasBoxes(h.Line, h.End) {
		n++
	}
	return n
}

// join makes a heading the section of a row.
func (r *reading) join(u *section.Unit, h *document.Heading) {
	u.From, u.To, u.Level, u.Raw, u.Offset = h.Line, h.End, h.Level, h.Raw, h.Offset
	u.Pos, u.Width = r.doc.Pos(h.Offset), len(h.Raw)
	title := u.Title
	u.Title = h.Title
	if h.Title.Name != "" {
		u.Name = h.Title.Name
	}
	if h.Title.Kind != "" {
		u.Kind = h.Title.Kind
	}
	if h.Title.Stated {
		at := document.Cell{Raw: h.Raw, Offset: h.Offset, Title: true}
		u.Stated = append(u.Stated, at)
		switch {
		case u.Status == plan.StatusUnknown:
			u.Status, u.StatusAt = h.Title.Status, at
		case u.Status != h.Title.Status:
			r.disagree(u, u.Status, h.Title.Status, h.Line)
		}
	}
	r.headingBox(u, h)
	u.Title.Needs = cmp.Or(u.Title.Needs, title.Needs)
}

// disagree reports two statements of a status.
func (r *reading) disagree(u *section.Unit, one, two plan.Status, line int) {
	r.report("W-STATUS", plan.Warning, line, r.doc.Line(line), fmt.Sprintf(
		"phase %s is said to be %s and then %s: the first counts", u.Label, said(one), said(two)), "make them agree")
}

func said(s plan.Status) string { return strings.ReplaceAll(string(s), "_", " ") }

// misspeltColumn refuses a table of phases with a head that is almost "Depends On".
func (r *reading) misspeltColumn(byID map[string][]int) {
	for i := range r.doc.Tables {
		t := &r.doc.Tables[i]
		key := t.Column("column id")
		if needs, _ := needsColumn(t); key < 0 || needs >= 0 || len(t.Rows) < 2 {
			continue
		}
		known := 0
		for _, row := range t.Rows {
			title := document.ReadCell(row.At(key).Raw)
			if len(byID[idOf(title.Label)]) > 0 || title.Kind != "" || plan.IsKind(t.Head(key)) {
				known++
			}
		}
		if known*2 < len(t.Rows) {
			continue
		}
		for k := range t.Header {
			if word := nearNeed(t.Head(k)); word != "" {
				r.report("E-COLUMN", plan.Error, t.Line, t.Header[k].Raw, fmt.Sprintf(
					"the column %q is almost %q, and without it nothing says what depends on what",
					text.Clip(t.Header[k].Raw, 40), word), "did you mean "+strings.ToUpper(word[:1])+word[1:]+"?")
				r.nearColumns(t)
				return
			}
		}
	}
}

// columnRows are the rows of the table of words that name columns of a table of phases.
var columnRows = []string{
	"needs", "needs weak", "beside", "blocks", "column status", "column estimate", "column wave",
	"column id", "column name",
}

// nearColumns reports the heads of a table of phases that are almost known ones.
func (r *reading) nearColumns(t *document.Table) {
	for k := range t.Header {
		head := t.Head(k)
		if len(head) < 5 || slices.ContainsFunc(columnRows, func(row string) bool { return plan.IsWord(row, head) }) {
			continue
		}
		for _, row := range columnRows[2:6] {
			if word := nearWord(row, head); word != "" {
				r.report("W-COLUMN", plan.Warning, t.Line, t.Header[k].Raw, fmt.Sprintf(
					"the column %q is almost %q, and was left out", text.Clip(t.Header[k].Raw, 40), word),
					"correct the head of the column")
				break
			}
		}
	}
}

// nearWord is the word of a row that a name almost is, empty for none.
func nearWord(row, name string) string {
	flat := strings.ReplaceAll(name, " ", "")
	for _, word := range plan.Words(row) {
		most := 1
		if len(word) > 7 {
			most = 2
		}
		if len(word) > 4 && name != word &&
			(text.Distance(name, word, most+1) <= most || flat == strings.ReplaceAll(word, " ", "")) {
			return word
		}
	}
	return ""
}

// nearNeed is the word for dependencies that a name almost is, empty for none.
func nearNeed(name string) string {
	for _, row := range []string{"column id", "column name", "column status", "blocks", "beside"} {
		if len(name) < 5 || plan.IsWord(row, name) {
			return ""
		}
	}
	return cmp.Or(nearWord("needs", name), nearWord("needs weak", name))
}
