package markdown

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"autobuild/plan"
)

// Difference is one thing that a document and its rewritten form do not share.
type Difference struct {
	Line  int  // in the source, or in the rewritten form where Added
	Added bool // only the rewritten form has it
	Text  string
	Why   string // what is wrong with it, in words
}

// Rewritten reads a document that another program has written in the recommended format from a
// source, and compares the two (SPEC.md 3). Each box, id and line of order of the source has to
// stand in it exactly once, and it may hold no box, command or setting that the source does not
// have. Its prose is not compared. The plan is complete where no difference is left. The error is
// as Parse's, about rewritten.
func Rewritten(path string, source, rewritten []byte) (*plan.Plan, []Difference, error) {
	old, problem := read(source)
	if problem != nil {
		return nil, nil, plan.Problems{*problem}
	}
	now, err := open(rewritten, Options{})
	if err != nil {
		return nil, nil, err
	}
	p, err := plan.New(draft(now, path, rewritten, Options{}))
	if err != nil {
		return nil, nil, err
	}
	account(now, p)
	c := comparison{old: old, now: now, plan: p, code: map[int]bool{}}
	c.boxes()
	c.orders()
	c.headings()
	c.rows()
	c.codes()
	c.commands()
	c.settings()
	c.phases()
	c.rules()
	c.unread()
	slices.SortStableFunc(c.found, func(a, b Difference) int {
		if a.Added != b.Added {
			if b.Added {
				return -1
			}
			return 1
		}
		return cmp.Or(a.Line-b.Line, cmp.Compare(a.Why, b.Why))
	})
	return p, c.found, nil
}

// comparison is a source and its rewritten form.
type comparison struct {
	old   *document
	now   *reading
	plan  *plan.Plan
	code  map[int]bool // lines of the rewritten form with code that the source does not have
	found []Difference
}

func (c *comparison) lost(line int, text, format string, args ...any) {
	c.found = append(c.found, Difference{Line: line, Text: strings.TrimSpace(text), Why: fmt.Sprintf(format, args...)})
}

func (c *comparison) added(line int, text, why string) {
	c.found = append(c.found, Difference{Line: line, Added: true, Text: strings.TrimSpace(text), Why: why})
}

// lines are the lines of a document on which each text stands.
type lines map[string][]int

// boxesOf are the texts of the boxes of a document, word for word. A mark is part of the text.
func boxesOf(d *document) lines {
	all := lines{}
	for i := range d.items {
		if it := &d.items[i]; it.box != 0 && !it.quoted {
			mark := it.box
			if mark == 'X' {
				mark = 'x'
			}
			key := "[" + string(mark) + "] "
			if it.star {
				key = "[" + string(mark) + "]* "
			}
			key += oneSpaced(it.raw)
			all[key] = append(all[key], it.line)
		}
	}
	return all
}

// boxes compares the boxes with their marks.
func (c *comparison) boxes() {
	old, now := boxesOf(c.old), boxesOf(c.now.doc)
	for key, at := range old {
		if n := len(now[key]); n != len(at) {
			c.lost(at[0], c.old.line(at[0]), "this box stands there %s, not %s", times(n), times(len(at)))
		}
	}
	for key, at := range now {
		if len(old[key]) == 0 {
			c.added(at[0], c.now.doc.line(at[0]), "the source has no such box")
		}
	}
}

// orders compares the sentences that say what depends on what.
func (c *comparison) orders() {
	have := func(d *document) lines {
		all := lines{}
		for _, s := range d.sentences() {
			if rel, ok := relate(s.text); ok && !rel.soft {
				all[oneSpaced(s.text)] = append(all[oneSpaced(s.text)], s.line)
			}
		}
		return all
	}
	now := have(c.now.doc)
	for key, at := range have(c.old) {
		if n := len(now[key]); n != len(at) {
			c.lost(at[0], c.old.line(at[0]), "this line of order stands there %s, not %s", times(n), times(len(at)))
		}
	}
}

// headings looks for the id and the name of each heading of the source that has both.
func (c *comparison) headings() {
	var text strings.Builder
	add := func(raw string) { text.WriteString(" " + words(raw)) }
	for i := range c.now.doc.heads {
		add(c.now.doc.heads[i].raw)
	}
	for i := range c.now.doc.paras {
		add(c.now.doc.paras[i].raw)
	}
	for i := range c.now.doc.tables {
		for _, row := range c.now.doc.tables[i].rows {
			for _, cell := range row.cells {
				add(cell.raw)
			}
		}
	}
	all := text.String() + " "
	for i := range c.old.heads {
		h := &c.old.heads[i]
		if h.title.label == "" {
			continue
		}
		name, whole := words(h.title.label+" "+h.title.name), words(h.raw)
		if h.title.name != "" && !strings.Contains(all, " "+name+" ") && !strings.Contains(all, " "+whole+" ") {
			c.lost(h.line, c.old.line(h.line), "the id and the name of this heading stand nowhere together")
		}
	}
}

// rows looks for the phase and the dependencies of each row of a table of the source that has them.
func (c *comparison) rows() {
	for i := range c.old.tables {
		t := &c.old.tables[i]
		has := keyed(t, readColumns(t), nil)
		if has.key < 0 || has.needs < 0 {
			continue
		}
		for _, row := range t.rows {
			raw := row.at(has.key).raw
			if summing(unadorned(plain(raw))) {
				continue
			}
			id := cellTitle(raw)
			at, known := c.now.index().Find(prefixed(id.kind+" ", id.label))
			if !known {
				at, known = c.now.index().Find(unadorned(plain(raw)))
			}
			if !known {
				c.lost(row.line, c.old.line(row.line), "no phase has the id of this row")
				continue
			}
			for _, need := range c.now.index().Mentions(cellList(row.at(has.needs).raw)) {
				if need != at && !c.plan.Reaches(need, at) {
					c.lost(row.line, c.old.line(row.line), "phase %s does not wait for phase %s", c.plan.At(at).Label, c.plan.At(need).Label)
				}
			}
		}
	}
}

// unread lists what the rewritten form itself leaves unread.
func (c *comparison) unread() {
	for _, r := range c.plan.Receipts {
		known := func(d Difference) bool { return d.Added && d.Line == r.Line }
		if r.As == "" && !slices.ContainsFunc(c.found, known) {
			c.added(r.Line, c.now.doc.line(r.Line), "it is read as nothing there")
		}
	}
}

// oneSpaced is a text with single spaces. What only looks like a space stays: a shell takes it for
// a letter.
func oneSpaced(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }), " ")
}

func times(n int) string {
	switch n {
	case 0:
		return "nowhere"
	case 1:
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
