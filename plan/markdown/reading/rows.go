package reading

import (
	"fmt"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// AddRows adds a unit for every row that names a phase.
func (r *Reading) AddRows(t *document.PhaseTable) {
	slugs := len(t.IDs) == 0
	seen := map[string]int{}
	count := 0
	for _, part := range t.Parts {
		count += len(part.Rows)
	}
	r.Units = make([]section.Unit, 0, count)
	for _, part := range t.Parts {
		for _, row := range part.Rows {
			u, ok := r.rowUnit(part, row, slugs)
			if !ok {
				continue
			}
			if members := r.Doc.RowMembers(u.Label); members != nil {
				r.expandRow(u, members)
				continue
			}
			id, err := plan.NormalID(u.Label)
			if at, twice := seen[id]; err == nil && twice && r.mergeRow(&r.Units[at], &u) {
				continue
			}
			seen[id] = len(r.Units)
			r.Units = append(r.Units, u)
		}
	}
}

// expandRow adds a unit for each item that a row stands for.
func (r *Reading) expandRow(row section.Unit, items []int) {
	for _, i := range items {
		it := &r.Doc.Items[i]
		t := words.ReadTitle(inline.FirstLine(it.Raw))
		u := row
		u.Title, u.Label, u.Name = t, t.Label, t.Name
		u.From, u.To, u.Own, u.Offset, u.Raw = it.Line, it.End, i+1, it.Offset, it.Raw
		u.Pos, u.Width, u.Status = r.Doc.Pos(it.Offset), len(inline.FirstLine(it.Raw)),
			words.BoxStatus(it.Box)
		r.Units = append(r.Units, u)
	}
}

// mergeRow merges a second row of one phase into the first when both say the same of its
// dependencies and call it alike. Rows without names have to spell its id alike, and rows of other
// names are parts of one phase where its heading has words of both.
func (r *Reading) mergeRow(first, second *section.Unit) bool {
	text := func(u *section.Unit) string {
		if len(u.Needs) == 0 {
			return ""
		}
		return strings.ToLower(u.Needs[0].Text)
	}
	// "2A" and "2-a" may be two phases
	spelt := inline.Words(first.Called) == inline.Words(second.Called)
	if first.Called == "" || second.Called == "" {
		spelt = strings.EqualFold(first.Label, second.Label)
	}
	if text(first) != text(second) || !spelt && !r.headingOfBoth(first, second) {
		return false
	}
	r.Warn("W-DUP", second.Pos,
		fmt.Sprintf("phase %s has two rows, on lines %d and %d, which are read as one",
			second.Label, first.Pos.Line, second.Pos.Line), "")
	first.Status = words.MergeStatus(first.Status, second.Status)
	first.Stated = append(first.Stated, second.Stated...)
	return true
}

// headingOfBoth reports whether a heading has the id of two rows and a word of each of their names.
func (r *Reading) headingOfBoth(first, second *section.Unit) bool {
	for i := range r.Doc.Headings {
		t := &r.Doc.Headings[i].Title
		if strings.EqualFold(t.Label, first.Label) && words.ShareWord(t.Name, first.Called) &&
			words.ShareWord(t.Name, second.Called) {
			return true
		}
	}
	return false
}

func (r *Reading) rowUnit(
	part document.TablePart, row document.Row, slugs bool,
) (section.Unit, bool) {
	d := r.Doc
	key := row.At(part.Key)
	t := words.ReadCell(key.Raw)
	var aliases []string
	if t.Label == "" && (slugs || document.CanNamePhase(part, row)) {
		t.Label = inline.WithoutEmoji(inline.Plain(key.Raw))
		if short, _, found := strings.Cut(t.Label, "("); found && strings.TrimSpace(short) != "" {
			aliases = []string{short}
		}
	}
	if t.Label == "" || words.IsTotal(t.Label) {
		return section.Unit{}, false
	}
	t.Called = part.HeadingName(t.Label)
	u := section.Unit{Title: t, RowLine: row.Line, Offset: key.Offset, Raw: key.Raw}
	u.Label, u.Name, u.Aliases = t.Label, t.Name, aliases
	u.Pos, u.Width = d.Pos(key.Offset), len(key.Raw)
	u.Row, u.Word = u.Pos, part.KindWord()
	if name := row.At(part.Name).Raw; u.Name == "" && name != "" {
		u.Name = words.WithoutMarks(inline.Plain(name))
	}
	u.Called = u.Name
	u.Status = t.Status
	if t.Strikethrough {
		u.Status = plan.StatusSkipped
	}
	if c := row.At(part.Status); c.Offset > 0 {
		u.StatusAt = c
		u.Stated = append(u.Stated, c)
		if s := words.StatusOf(c.Raw, true); s != plan.StatusUnknown && !t.Strikethrough {
			u.Status = s
		}
	} else if at := titledStatus(t, key, row.At(part.Name)); at.Title {
		u.StatusAt = at
		u.Stated = append(u.Stated, at)
		if u.Status == plan.StatusUnknown {
			u.Status = words.StatusOf(at.Raw, false)
		}
	}
	if part.Needs >= 0 {
		c := row.At(part.Needs)
		pos := d.Pos(c.Offset)
		if c.Offset == 0 {
			pos = u.Pos
			r.reportShortRow(part, row, u.Label)
		}
		u.Needs = []plan.Ref{{Text: needsText(part, row), Pos: pos}}
	}
	if c := row.At(part.Beside); c.Raw != "" {
		u.Beside = []plan.Ref{{Text: inline.PlainList(c.Raw), Pos: d.Pos(c.Offset)}}
	}
	if c := row.At(part.Unlocks); c.Raw != "" {
		u.Unlocks = []plan.Ref{{Text: inline.PlainList(c.Raw), Pos: d.Pos(c.Offset)}}
	}
	if c := row.At(part.Estimate); c.Raw != "" {
		u.Estimate = words.Estimate(c.Raw)
	}
	return u, true
}

// titledStatus is the cell of a row that says a status beside the id or the name, as in "Engine ✅".
func titledStatus(t words.Title, key, name document.Cell) document.Cell {
	at := key
	if t.Status == plan.StatusUnknown {
		if at = name; words.StatusOf(name.Raw, false) == plan.StatusUnknown {
			return document.Cell{}
		}
	}
	at.Title = true
	return at
}

// needsText is the text of the dependencies of a row. Where all of the row is struck out, the mark
// says nothing of the dependencies.
func needsText(part document.TablePart, row document.Row) string {
	raw := row.At(part.Needs).Raw
	if inline.IsStrikethrough(row.At(part.Key).Raw) {
		return inline.PlainList(raw)
	}
	return inline.References(raw)
}

// reportShortRow reports a row that ends before its dependencies.
func (r *Reading) reportShortRow(part document.TablePart, row document.Row, label string) {
	line := r.Doc.Line(row.Line)
	r.Found = append(r.Found, plan.Problem{
		Code: "E-TABLE", Severity: plan.Error, Pos: plan.Pos{Line: row.Line, Col: 1},
		Width: len(line), Line: line,
		Message: fmt.Sprintf("the row of phase %s has %d cells, too few for its dependencies",
			label, len(row.Cells)),
		Hint: fmt.Sprintf(
			"the table has %d columns; write \"none\" where there are no dependencies",
			len(part.Header)),
	})
}
