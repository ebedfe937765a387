package markdown

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/receipts"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// A rewritten plan must not make autobuild do what the source does not state. Code is compared as
// text. Commands, settings and claims are compared as the same reader reads them from both
// documents.

// codes refuses blocks and code spans that the source does not have.
func (c *comparison) codes() {
	key := func(f document.CodeBlock) string {
		return f.Info + "\n" + strings.TrimRight(f.Text, " \t\n")
	}
	blocks, spans := map[string]bool{}, map[string]bool{}
	for _, f := range c.old.CodeBlocks {
		blocks[key(f)] = true
	}
	for n := 1; n <= c.old.Count(); n++ {
		for _, code := range inline.CodeSpans(c.old.Line(n)) {
			spans[oneSpaced(code)] = true
		}
	}
	for i := range c.old.Items { // a span may go on in the next line
		for _, code := range inline.CodeSpans(c.old.Items[i].Raw) {
			spans[oneSpaced(code)] = true
		}
	}
	for _, word := range strings.Fields(c.old.Text) { // a path may be put into back-ticks
		spans[strings.Trim(word, ".,;:!?()[]\"'*_`")] = true
	}
	for _, f := range c.now.Doc.CodeBlocks {
		if !blocks[key(f)] {
			c.added(f.Line, c.now.Doc.Line(f.Line), "the source has no such block")
			for n := f.Line; n < f.End; n++ {
				c.code[n] = true
			}
		}
	}
	inFence := func(line int) bool { // the line that ends one may be missing
		return slices.ContainsFunc(c.now.Doc.CodeBlocks, func(f document.CodeBlock) bool {
			return line >= f.Line && line < f.End-1
		})
	}
	for n := 1; n <= c.now.Doc.Count(); n++ {
		if inFence(n) {
			continue
		}
		for _, code := range inline.CodeSpans(c.now.Doc.Line(n)) {
			if !spans[oneSpaced(code)] {
				c.added(n, c.now.Doc.Line(n), "the source does not have `"+code+"`")
				c.code[n] = true
			}
		}
	}
}

// statedCommands are the commands of a document: the lines of shell blocks, and code that is all of
// a list item, of a labelled line or of a cell. A sentence that mentions a command, a name alone,
// and a label such as "Never" state none.
func statedCommands(d *document.Document) map[string]bool {
	all := map[string]bool{}
	add := func(gates []plan.Gate) {
		for _, g := range gates {
			all[g.Command] = true
		}
	}
	for _, f := range d.CodeBlocks {
		if info, _, _ := strings.Cut(f.Info, " "); slices.Contains(section.ShellNames, info) {
			all[strings.TrimSpace(f.Text)] = true
			add(section.BlockGates(f))
		}
	}
	parts := d.Topics(1, d.Count()+1)
	for i := range d.Items {
		command, ok := section.OnlyCommand(d.Items[i].Raw)
		c := document.ClassAt(parts, d.Items[i].Line)
		if ok && (c == words.ClassGates || c == words.ClassVerify || c == words.ClassSetup ||
			section.CommandLike(command)) {
			all[command] = true
		}
	}
	for _, l := range d.Labels { // of items, too
		if command, ok := section.OnlyCommand(l.Value); ok && !ruledOutLabel.MatchString(l.Name) {
			all[command] = true
		}
	}
	for i := range d.Tables {
		for _, row := range d.Tables[i].Rows {
			for _, cell := range row.Cells {
				if command, ok := section.OnlyCommand(cell.Raw); ok {
					all[command] = true
				}
			}
		}
	}
	return all
}

// ruledOutLabel are labels of code that is not to be run.
var ruledOutLabel = lazyregexp.New(`^expected$|\b(?:never|not|don't|avoid|forbidden|banned)\b`)

// commands refuses what autobuild would run and the source does not state as a command.
func (c *comparison) commands() {
	stated, reported := statedCommands(c.old), map[string]bool{}
	check := func(command string, line int) {
		command = strings.TrimSpace(command)
		if stated[command] || reported[command] || c.code[line] {
			return
		}
		reported[command] = true
		c.added(line, c.now.Doc.Line(line),
			"this would be run, and the source does not state it as a command: `"+command+"`")
	}
	for i := range c.plan.Len() {
		p := &c.plan.Phases()[i]
		for _, g := range p.Gates {
			check(g.Command, g.Pos.Line)
		}
		for _, s := range p.Setup {
			check(s, p.Pos.Line)
		}
		for _, b := range p.Script {
			check(b.Text, b.Pos.Line)
		}
	}
	for _, g := range c.plan.Final {
		check(g.Command, g.Pos.Line)
	}
}

// settingsOf are the lines on which each setting of a document stands.
func settingsOf(d *document.Document) lines {
	all := lines{}
	for _, l := range d.Labels {
		if l.Name == section.SettingsLabel {
			for _, word := range section.SettingWords(l.Value) {
				all[word] = append(all[word], l.Line)
			}
		}
	}
	return all
}

// settings compares the settings, and the word that a phase may change nothing.
func (c *comparison) settings() {
	old, now := settingsOf(c.old), settingsOf(c.now.Doc)
	for key, at := range old {
		if len(now[key]) == 0 {
			c.lost(at[0], c.old.Line(at[0]), "the setting %s stands nowhere", key)
		}
	}
	for key, at := range now {
		if len(at) > len(old[key]) {
			c.added(at[len(at)-1], c.now.Doc.Line(at[len(at)-1]), "the source has no such setting")
		}
	}
	const empty = "no changes expected"
	left := strings.Count(strings.ToLower(c.old.Text), empty)
	for i := range c.plan.Len() {
		p := &c.plan.Phases()[i]
		if p.AllowEmpty {
			if left--; left < 0 {
				c.added(p.Pos.Line, c.now.Doc.Line(p.Pos.Line),
					"the source does not say that this phase may change nothing")
			}
		}
	}
}

// recommendedDialects are the dialects of the recommended format.
var recommendedDialects = []string{"superplan", "table", "headings"}

// phases refuses phases that the source does not have, and what they claim without it.
func (c *comparison) phases() {
	if !slices.Contains(recommendedDialects, c.now.Dialect) {
		c.added(1, c.now.Doc.Line(1),
			fmt.Sprintf("it is not written in the recommended format, but read as %q",
				c.now.Dialect))
	}
	spaced := oneSpaced(c.old.Text)
	var b strings.Builder
	for n := 1; n <= c.old.Count(); n++ {
		b.WriteString(" " + inline.Words(c.old.Line(n)))
	}
	text := b.String() + " "
	for i := range c.plan.Len() {
		p := &c.plan.Phases()[i]
		add := func(format string, args ...any) {
			c.added(p.Pos.Line, c.now.Doc.Line(p.Pos.Line), fmt.Sprintf(format, args...))
		}
		boxes := slices.Concat(p.Tasks, p.Criteria)
		open := slices.ContainsFunc(boxes, func(t plan.Task) bool { return !t.Done })
		if len(boxes) == 0 && !strings.Contains(text, " "+inline.Words(p.Name)+" ") {
			add("the source has no such phase")
		}
		ended := p.Status == plan.StatusDone || p.Status == plan.StatusSkipped
		if ended && (open || len(boxes) == 0) && !c.claimed(p) {
			add("the source does not say that this phase is %s: it would not be run", p.Status)
		}
		for _, file := range p.Files.All() {
			if !strings.Contains(spaced, file) {
				add("the source does not name the file %s", file)
			}
		}
		if p.Commit != "" && !strings.Contains(spaced, oneSpaced(p.Commit)) {
			add("the source does not have the commit message of this phase")
		}
	}
	c.rowTasks(spaced)
	for _, n := range c.plan.Notes {
		if n.Code == "W-DEP-CONFLICT" {
			c.added(n.Pos.Line, n.Line, n.Message)
		}
	}
}

// rowTasks refuses rows of tables that are tasks, but are no rows of the source.
func (c *comparison) rowTasks(source string) {
	boxed := map[int]bool{} // by line
	for i := range c.now.Doc.Items {
		boxed[c.now.Doc.Items[i].Line] = c.now.Doc.Items[i].Box != 0
	}
	for i := range c.plan.Len() {
		for _, t := range c.plan.Phases()[i].Tasks {
			line := c.now.Doc.Line(t.Pos.Line)
			if !boxed[t.Pos.Line] && !strings.Contains(source, oneSpaced(line)) {
				c.added(t.Pos.Line, line, "the source has no such task")
			}
		}
	}
}

// claimed reports whether a line of the source names a phase and its status.
func (c *comparison) claimed(p *plan.Phase) bool {
	name := " " + inline.Words(p.Name) + " "
	for n := 1; n <= c.old.Count(); n++ {
		line := c.old.Line(n)
		if !strings.Contains(" "+inline.Words(line)+" ", name) {
			continue
		}
		_, _, said := statusPhrase(line)
		if said == p.Status || strings.Contains(line, marks[p.Status]) {
			return true
		}
	}
	return false
}

// rules compares what is outside all phases: constraints, and boxes.
func (c *comparison) rules() {
	of := reading.Reading{Doc: c.old, Covered: make([]bool, c.old.Count()+2)}
	of.ReadConstraints()
	have := func(all []plan.Constraint, text string) bool {
		return slices.ContainsFunc(all, func(o plan.Constraint) bool { return o.Text == text })
	}
	for _, old := range of.Constraints {
		if !have(c.plan.Constraints, old.Text) {
			c.lost(old.Pos.Line, c.old.Line(old.Pos.Line),
				"this constraint holds for the whole, and is not read as one")
		}
	}
	for _, now := range c.plan.Constraints {
		if !have(of.Constraints, now.Text) {
			c.added(now.Pos.Line, c.now.Doc.Line(now.Pos.Line), "the source has no such constraint")
		}
	}
	whole := map[string]bool{}
	for i := range c.old.Items {
		if it := &c.old.Items[i]; it.Box != 0 &&
			(c.old.IsAboutPlan(it.Line) || receipts.IsWholePlan(c.old, it.Line)) {
			whole[oneSpaced(it.Raw)] = true
		}
	}
	for i := range c.now.Doc.Items {
		it := &c.now.Doc.Items[i]
		if it.Box != 0 && !it.Quoted && !c.now.Covered[it.Line] && !whole[oneSpaced(it.Raw)] {
			c.added(it.Line, c.now.Doc.Line(it.Line), "this box is in no phase")
		}
	}
}
