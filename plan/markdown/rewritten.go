package markdown

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
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
// stand in it exactly once, and a run may take nothing from it that the source does not have word
// for word. Its prose is not compared. The plan is complete where no difference is left. The error
// is as Parse's, about rewritten.
func Rewritten(path string, source, rewritten []byte) (*plan.Plan, []Difference, error) {
	old, problem := document.Read(source)
	if problem != nil {
		return nil, nil, plan.Problems{*problem}
	}
	now, err := open(rewritten, Options{})
	if err != nil {
		return nil, nil, err
	}
	p, err := now.plan(path, rewritten, Options{})
	if err != nil {
		return nil, nil, err
	}
	c := comparison{old: old, now: now, plan: p}
	c.boxes()
	c.orders()
	c.headings()
	c.rows()
	c.used()
	c.unread()
	side := map[bool]int{true: 1}
	slices.SortStableFunc(c.found, func(a, b Difference) int {
		return cmp.Or(side[a.Added]-side[b.Added], a.Line-b.Line, cmp.Compare(a.Why, b.Why))
	})
	return p, c.found, nil
}

// comparison is a source and its rewritten form.
type comparison struct {
	old   *document.Document
	now   *reading
	plan  *plan.Plan
	found []Difference
}

func (c *comparison) lost(line int, text, format string, args ...any) {
	c.found = append(c.found, Difference{
		Line: line, Text: strings.TrimSpace(text),
		Why: fmt.Sprintf(format, args...),
	})
}

func (c *comparison) added(line int, text, why string) {
	c.found = append(c.found, Difference{
		Line: line, Added: true, Text: strings.TrimSpace(text),
		Why: why,
	})
}

// lines are the lines of a document on which each text stands.
type lines map[string][]int

// boxesOf are the texts of the boxes of a document, word for word. A mark is part of the text.
func boxesOf(d *document.Document) lines {
	all := lines{}
	for i := range d.Items {
		if it := &d.Items[i]; it.Box != 0 && !it.Quoted {
			key := "[" + strings.ToLower(string(it.Box)) + "]"
			if it.Optional {
				key += "*"
			}
			key += " " + oneSpaced(it.Raw)
			all[key] = append(all[key], it.Line)
		}
	}
	return all
}

// boxes compares the boxes with their marks.
func (c *comparison) boxes() {
	old, now := boxesOf(c.old), boxesOf(c.now.doc)
	c.counted("box", old, now)
	for key, at := range now {
		if len(old[key]) == 0 {
			c.added(at[0], c.now.doc.Line(at[0]), "the source has no such box")
		}
	}
}

// orders compares the sentences that say what depends on what.
func (c *comparison) orders() {
	have := func(d *document.Document) lines {
		all := lines{}
		for i := range d.Paragraphs {
			p := &d.Paragraphs[i]
			for part := range sentences(inline.Plain(p.Raw)) {
				lower := strings.ToLower(part)
				at, _ := plan.FindWord("order", lower)
				needs, _ := plan.FindWord("needs", lower)
				if needs >= 0 || at >= 0 && strings.ContainsAny(part, "0123456789") {
					all[oneSpaced(part)] = append(all[oneSpaced(part)], p.Line)
				}
			}
		}
		return all
	}
	c.counted("line of order", have(c.old), have(c.now.doc))
}

// counted compares how often each line stands in both.
func (c *comparison) counted(what string, old, now lines) {
	for key, at := range old {
		if n := len(now[key]); n != len(at) {
			c.lost(at[0], c.old.Line(at[0]), "this %s stands there %s, not %s", what, times(n),
				times(len(at)))
		}
	}
}

// headings looks for the id and the name of each heading of the source that has both.
func (c *comparison) headings() {
	all := wordsOf(c.now.doc)
	for i := range c.old.Headings {
		h := &c.old.Headings[i]
		if h.Title.Label == "" {
			continue
		}
		name, whole := inline.Words(h.Title.Label+" "+h.Title.Name), inline.Words(h.Raw)
		if h.Title.Name != "" && !strings.Contains(all, " "+name+" ") &&
			!strings.Contains(all, " "+whole+" ") {
			c.lost(h.Line, c.old.Line(h.Line),
				"the id and the name of this heading stand nowhere together")
		}
	}
}

// rows looks for the phase and the dependencies of each row of a table of the source that has them.
func (c *comparison) rows() {
	for i := range c.old.Tables {
		t := &c.old.Tables[i]
		needs, _ := needsColumn(t)
		key := t.Column("column id")
		if key < 0 || needs < 0 || key == needs {
			continue
		}
		for _, row := range t.Rows {
			id := document.ReadCell(row.At(key).Raw)
			if id.Label == "" || summary(id.Label) {
				continue
			}
			at, known := c.now.names.Find(strings.TrimSpace(id.Kind + " " + id.Label))
			if !known {
				c.lost(row.Line, c.old.Line(row.Line), "no phase has the id of this row")
				continue
			}
			for _, need := range c.now.names.Mentions(inline.PlainList(row.At(needs).Raw)) {
				if need != at && !c.plan.Reaches(need, at) {
					c.lost(row.Line, c.old.Line(row.Line), "phase %s does not wait for phase %s",
						c.plan.At(at).Label, c.plan.At(need).Label)
				}
			}
		}
	}
}

// used refuses what a run would take from the rewritten form and the source does not have word for
// word: commands, files, settings, messages, tasks, constraints, and the claim to be done.
func (c *comparison) used() {
	if c.now.name != "table" && c.now.name != "headings" {
		c.added(1, c.now.doc.Line(1),
			fmt.Sprintf("it is not written in the recommended format, but read as %q",
				c.now.name))
	}
	s := sourceOf(c)
	for n := 1; n <= c.now.doc.Count(); n++ {
		for _, span := range inline.CodeSpans(c.now.doc.Line(n)) {
			s.command(plan.Pos{Line: n}, span)
		}
	}
	for _, b := range c.now.doc.CodeBlocks {
		s.command(plan.Pos{Line: b.Line}, b.Text)
	}
	for _, p := range c.plan.Phases() {
		s.phase(&p)
	}
	for _, g := range c.plan.Final {
		s.command(g.Pos, g.Command)
	}
	for _, rule := range c.plan.Constraints {
		s.need(rule.Pos, strings.Contains(s.text, oneSpaced(rule.Text)),
			"the source has no such constraint")
	}
	for _, n := range c.plan.Notes {
		s.need(n.Pos, n.Code != "W-DEP-CONFLICT", "%s", n.Message)
	}
	of := reading{doc: c.old, unit: make([]int, c.old.Count()+2)}
	of.readConstraints()
	for _, old := range of.constraints {
		if !slices.ContainsFunc(c.plan.Constraints,
			func(now plan.Constraint) bool { return now.Text == old.Text }) {
			c.lost(old.Pos.Line, c.old.Line(old.Pos.Line),
				"this constraint holds for the whole, and is not read as one")
		}
	}
}

// A source is what the source has, to compare the rewritten form with.
type source struct {
	*comparison
	text  string          // with one space between words
	words string          // of all lines, without marks
	code  map[string]bool // commands, blocks, paths; what was reported once, too
}

func sourceOf(c *comparison) *source {
	s := source{c, oneSpaced(c.old.Text), wordsOf(c.old), codeOf(c.old)}
	for _, word := range strings.Fields(s.text) { // a path may be put into back-ticks
		if word = strings.Trim(word, ".,;:!?()[]\"'*_`"); strings.ContainsAny(word, "/.") {
			s.code[word] = true
		}
	}
	return &s
}

// need reports what the source does not have, once a line.
func (s *source) need(pos plan.Pos, has bool, format string, args ...any) {
	reported := func(d Difference) bool { return d.Added && d.Line == pos.Line }
	if !has && !slices.ContainsFunc(s.found, reported) {
		s.added(pos.Line, s.now.doc.Line(pos.Line), fmt.Sprintf(format, args...))
	}
}

func (s *source) command(pos plan.Pos, text string) {
	has := s.code[oneSpaced(text)]
	s.code[oneSpaced(text)] = true
	s.need(pos, has, "the source does not have `%s`", strings.TrimSpace(text))
}

func (s *source) phase(p *plan.Phase) {
	boxes := slices.Concat(p.Tasks, p.Criteria)
	s.need(p.Pos, len(boxes) > 0 || strings.Contains(s.words, " "+inline.Words(p.Name)+" "),
		"the source has no such phase")
	open := slices.ContainsFunc(boxes, func(t plan.Task) bool { return !t.Done })
	ended := p.Status == plan.StatusDone || p.Status == plan.StatusSkipped
	s.need(p.Pos, !ended || len(boxes) > 0 && !open || s.claimed(p),
		"the source does not say that this phase is %s: it would not be run", p.Status)
	s.need(p.Pos, !p.AllowEmpty || strings.Contains(strings.ToLower(s.text), "no changes expected"),
		"the source does not say that this phase may change nothing")
	for _, t := range p.Tasks {
		s.need(t.Pos, strings.Contains(s.words, " "+inline.Words(t.Text)+" "),
			"the source has no such task")
	}
	for _, file := range p.Files.All() {
		s.need(p.Pos, strings.Contains(s.text, file), "the source does not name the file %s", file)
	}
	s.need(p.Pos, strings.Contains(s.text, oneSpaced(p.Commit)),
		"the source does not have the commit message of this phase")
	for _, set := range p.Settings {
		s.need(set.Pos, slices.Contains(strings.Fields(s.text), set.Name+"="+set.Value),
			"the source does not have the setting %s=%s", set.Name, set.Value)
	}
	for _, text := range p.Setup {
		s.command(p.Pos, text)
	}
	for _, b := range p.Script {
		s.command(b.Pos, b.Text)
	}
	for _, g := range p.Gates {
		s.command(g.Pos, g.Command)
	}
}

// wordsOf are the words of all lines of a document, with a space before each and one at the end.
func wordsOf(d *document.Document) string {
	var b strings.Builder
	for n := 1; n <= d.Count(); n++ {
		b.WriteString(" " + inline.Words(d.Line(n)))
	}
	return b.String() + " "
}

// codeOf is the code of a document: its code spans, its blocks, and their lines.
func codeOf(d *document.Document) map[string]bool {
	all := map[string]bool{}
	for _, b := range d.CodeBlocks {
		all[oneSpaced(b.Text)] = true
		for line := range strings.Lines(b.Text) {
			all[oneSpaced(line)] = true
		}
	}
	for n := 1; n <= d.Count(); n++ {
		for _, span := range inline.CodeSpans(d.Line(n)) {
			all[oneSpaced(span)] = true
		}
	}
	for i := range d.Items { // a span may go on in the next line
		for _, span := range inline.CodeSpans(d.Items[i].Raw) {
			all[oneSpaced(span)] = true
		}
	}
	return all
}

// claimed reports whether a line of the source names a phase and its status.
func (c *comparison) claimed(p *plan.Phase) bool {
	name := " " + inline.Words(p.Name) + " "
	for n := 1; n <= c.old.Count(); n++ {
		line := c.old.Line(n)
		if !strings.Contains(" "+inline.Words(line)+" ", name) {
			continue
		}
		if at, _, said := document.FindStatus(line); at >= 0 && said == p.Status || strings.Contains(line, marks[p.Status]) {
			return true
		}
	}
	return false
}

// unread lists what the rewritten form itself leaves unread.
func (c *comparison) unread() {
	for _, r := range c.plan.Receipts {
		known := func(d Difference) bool { return d.Added && d.Line == r.Line }
		if r.As == "" && !slices.ContainsFunc(c.found, known) {
			c.added(r.Line, c.now.doc.Line(r.Line), "it is read as nothing there")
		}
	}
}

// oneSpaced is a text with single spaces. Other Unicode spaces stay, because a shell reads them as
// letters.
func oneSpaced(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return r == ' ' || r == '\t' || r == '\n'
	}), " ")
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
