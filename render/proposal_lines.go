package render

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"autobuild/internal/text"
	"autobuild/plan"
)

// tableRow is a row of a table of phases, with what its header says.
type tableRow struct {
	line   int
	header []string // lower-case
	cells  []string // as written, blanks included
}

// dependencyHeads are the heads of columns that list dependencies.
var dependencyHeads = []string{"depends on", "depends", "dependencies", "dependency", "blocked by", "requires", "prerequisites", "prerequisite"}

// besideHeads are the heads of columns that list what may run at the same time.
var besideHeads = []string{"parallel with", "can run with", "parallel", "in parallel with"}

// needsColumn is the position of the dependencies, -1 where the table has none.
func (r tableRow) needsColumn() int {
	return slices.IndexFunc(r.header, func(head string) bool { return slices.Contains(dependencyHeads, head) })
}

// text is the row with one cell replaced.
func (r tableRow) with(column int, cell string) string {
	cells := slices.Clone(r.cells)
	cells[column] = " " + cell + " "
	return "|" + strings.Join(cells, "|") + "|"
}

// row finds the row of a phase in a table that lists dependencies.
func (w *wish) row(id string) (tableRow, bool) {
	var header []string
	for i, line := range w.lines {
		cells, ok := cellsOf(line)
		if !ok {
			header = nil
			continue
		}
		if header == nil {
			for _, cell := range cells {
				header = append(header, strings.ToLower(strings.Trim(cell, " *_`")))
			}
			continue
		}
		row := tableRow{i + 1, header, cells}
		if normal, err := plan.NormalID(strings.Trim(cells[0], " *_`")); err == nil && normal == id && len(cells) == len(header) && row.needsColumn() > 0 {
			return row, true
		}
	}
	return tableRow{}, false
}

// cellsOf splits a row of a table. Rows with escaped bars are left alone.
func cellsOf(line string) ([]string, bool) {
	line = strings.TrimSpace(line)
	if len(line) < 3 || line[0] != '|' || line[len(line)-1] != '|' || strings.Contains(line, `\|`) {
		return nil, false
	}
	return strings.Split(line[1:len(line)-1], "|"), true
}

// needsLine and besideLine are lines that state the dependencies of a section, and what may run at
// the same time.
var (
	needsLine  = regexp.MustCompile(`(?i)^(\s*(?:[-*+]\s+)?\**(?:depends on|blocked by)\**:\**\s*)(.*)$`)
	besideLine = regexp.MustCompile(`(?i)^(\s*(?:[-*+]\s+)?\**(?:parallel with|can run with)\**:\**\s*)(.*)$`)
)

// change are lines of the plan and what they become.
type change map[int][]string

// edits are the changes in the order of the plan.
func (c change) edits() []edit {
	var edits []edit
	for line, by := range c {
		edits = append(edits, edit{line, by})
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.line - b.line })
	return edits
}

// cell changes a cell of a row that may have been changed already.
func (c change) cell(row tableRow, column int, to func(string) string) {
	if by, ok := c[row.line]; ok {
		row.cells, _ = cellsOf(by[0])
	}
	if was := strings.TrimSpace(row.cells[column]); to(was) != was {
		c[row.line] = append([]string{row.with(column, to(was))}, c[row.line][min(1, len(c[row.line])):]...)
	}
}

// depend writes another dependency where the plan states those of the phase: its row, else a line
// of its section, else a line below its heading that repeats those which followed from the
// document's order. What is said of running at the same time goes.
func (w *wish) depend(on plan.Phase) []edit {
	c := make(change)
	if !w.stateNeed(c, on.Label) {
		return nil
	}
	w.apart(c, w.phase, on.Label)
	w.apart(c, on, w.phase.Label)
	return c.edits()
}

func (w *wish) stateNeed(c change, on string) bool {
	if row, ok := w.row(w.phase.ID); ok {
		c.cell(row, row.needsColumn(), func(list string) string { return listed(list, on) })
		return true
	}
	if n, m := w.stated(w.phase, needsLine); n > 0 {
		c[n] = []string{m[1] + listed(m[2], on)}
		return true
	}
	from, _ := section(w.phase, w.lines)
	if from == 0 || !strings.HasPrefix(w.lines[from-1], "#") {
		return false
	}
	var needs []string
	for _, id := range w.phase.DependsOn {
		p, _ := w.Plan.Find(id)
		needs = append(needs, p.Label)
	}
	c[from] = []string{w.lines[from-1], "", "**Depends on:** " + strings.Join(append(needs, on), ", ")}
	return true
}

// apart takes a phase out of what the plan says runs beside another.
func (w *wish) apart(c change, p plan.Phase, label string) {
	if row, ok := w.row(p.ID); ok {
		for column, head := range row.header {
			if slices.Contains(besideHeads, head) {
				c.cell(row, column, func(list string) string { return unlisted(list, label) })
			}
		}
	}
	if n, m := w.stated(p, besideLine); n > 0 && hasWord(m[2], label) {
		c[n] = []string{m[1] + unlisted(m[2], label)}
	}
}

// stated finds a line of a kind in the section of a phase.
func (w *wish) stated(p plan.Phase, kind *regexp.Regexp) (int, []string) {
	from, to := section(p, w.lines)
	for n := from; n > 0 && n <= to; n++ {
		if m := kind.FindStringSubmatch(w.lines[n-1]); m != nil {
			return n, m
		}
	}
	return 0, nil
}

// section is the first and the last line of a phase's section; 0 where it has none.
func section(p plan.Phase, lines []string) (from, to int) {
	if p.TextLine == 0 || p.Text == "" {
		return 0, 0
	}
	return p.TextLine, min(len(lines), p.TextLine+strings.Count(p.Text, "\n"))
}

// listed is a list of phases with one more.
func listed(list, label string) string {
	list = strings.TrimSpace(list)
	if list == "" || slices.Contains([]string{"-", "–", "—", "none", "n/a", "nothing"}, strings.ToLower(strings.Trim(list, "*_` "))) {
		return label
	}
	return list + ", " + label
}

// unlisted is a list of phases without one of them.
func unlisted(list, label string) string {
	if !hasWord(list, label) {
		return list
	}
	var kept []string
	for item := range strings.SplitSeq(list, ",") {
		if item = strings.TrimSpace(item); item != "" && !hasWord(item, label) {
			kept = append(kept, item)
		}
	}
	if len(kept) == 0 {
		return "-"
	}
	return strings.Join(kept, ", ")
}

// split makes two phases of one: the tasks of the second half get a heading of their own.
func (w *wish) split() (suggestion, bool) {
	top := w.topTasks()
	if len(top) < 2 {
		return suggestion{}, false
	}
	s := suggestion{
		title: fmt.Sprintf("Split phase %s in two", w.label()),
		why: fmt.Sprintf("The phase has %s%s and ended with %s: %s. Two smaller ones are each checked by themselves, and a retry repeats less.",
			text.Count(len(w.phase.Tasks), "task"), estimateOf(w.phase), w.f.Type, inert(w.f.Message, 200)),
	}
	for _, ends := range w.suffixes() {
		first, second := w.phase.Label+ends[0], w.phase.Label+ends[1]
		edits := w.halves(top[len(top)/2], first, second)
		p, ok := w.reads(edits)
		if !ok || p.Len() != w.Plan.Len()+1 {
			continue
		}
		one, found1 := p.Find(first)
		two, found2 := p.Find(second)
		if found1 && found2 && len(one.Tasks) > 0 && len(two.Tasks) > 0 && slices.Contains(two.DependsOn, one.ID) && w.followed(p, two.ID) {
			s.edits = edits
			break
		}
	}
	return s, true
}

// suffixes are what may tell the halves apart: letters behind a number, numbers behind a letter.
func (w *wish) suffixes() [][2]string {
	all := [][2]string{{"A", "B"}, {"1", "2"}, {".1", ".2"}, {"-1", "-2"}}
	if end := w.phase.Label[len(w.phase.Label)-1]; end < '0' || end > '9' {
		all[0], all[1] = all[1], all[0]
	}
	return all
}

func estimateOf(p plan.Phase) string {
	if p.Estimate.Text == "" {
		return ""
	}
	return ", an estimate of " + inert(p.Estimate.Text, 20) + ","
}

// followed reports whether all that waited for the phase waits for its second half.
func (w *wish) followed(p *plan.Plan, second string) bool {
	i, _ := w.Plan.Index(w.phase.ID)
	for _, d := range w.Plan.Dependents(i) {
		if q, ok := p.Find(w.Plan.At(d).ID); !ok || !slices.Contains(q.DependsOn, second) {
			return false
		}
	}
	return true
}

// topTasks are the tasks that are no parts of other tasks.
func (w *wish) topTasks() []plan.Task {
	var top []plan.Task
	for _, t := range w.phase.Tasks {
		if t.Pos.Valid() && (len(top) == 0 || t.Pos.Col == top[0].Pos.Col) {
			top = append(top, t)
		}
	}
	return top
}

// halves are the edits that split a phase before a task: rows and headings of both halves.
// Dependents of the phase depend on the second half then.
func (w *wish) halves(task plan.Task, first, second string) []edit {
	head := w.phase.Pos.Line
	if head < 1 || head > len(w.lines) || task.Pos.Line <= head || task.Pos.Line > len(w.lines) {
		return nil
	}
	heading := w.lines[head-1]
	if !strings.HasPrefix(heading, "#") || !hasWord(heading, w.phase.Label) {
		return nil
	}
	c := change{head: {swapWord(heading, w.phase.Label, first)}}
	below := []string{swapWord(heading, w.phase.Label, second), ""}
	if row, ok := w.row(w.phase.ID); ok {
		name := func(label string) string { return strings.TrimSpace(swapWord(row.cells[0], w.phase.Label, label)) }
		other := row
		other.cells, _ = cellsOf(row.with(0, name(second)))
		c[row.line] = []string{row.with(0, name(first)), other.with(row.needsColumn(), first)}
	} else {
		below = append(below, "**Depends on:** "+first, "")
	}
	if strings.TrimSpace(w.lines[task.Pos.Line-2]) != "" {
		below = append([]string{""}, below...)
	}
	c[task.Pos.Line] = append(below, w.lines[task.Pos.Line-1])
	for _, p := range w.Plan.Phases() {
		if p.ID != w.phase.ID {
			w.redirect(c, p, first, second)
		}
	}
	return c.edits()
}

// redirect lets a phase wait for the second half, and run beside both, where the plan says so of
// the whole.
func (w *wish) redirect(c change, p plan.Phase, first, second string) {
	if row, ok := w.row(p.ID); ok {
		for column, head := range row.header {
			switch {
			case column == row.needsColumn():
				c.cell(row, column, func(list string) string { return swapWord(list, w.phase.Label, second) })
			case slices.Contains(besideHeads, head):
				c.cell(row, column, func(list string) string { return swapWord(list, w.phase.Label, first+", "+second) })
			}
		}
		return
	}
	if n, m := w.stated(p, needsLine); n > 0 && hasWord(m[2], w.phase.Label) {
		c[n] = []string{m[1] + swapWord(m[2], w.phase.Label, second)}
	}
}

// wordAt is where a label stands in a text as a word of its own, -1 where it does not.
func wordAt(text, label string) int {
	for at := 0; label != "" && at+len(label) <= len(text); {
		k := strings.Index(text[at:], label)
		if k < 0 {
			return -1
		}
		k += at
		if end := k + len(label); (k == 0 || !idByte(text[k-1])) && (end == len(text) || !idByte(text[end])) {
			return k
		}
		at = k + 1
	}
	return -1
}

func idByte(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

func hasWord(text, label string) bool { return wordAt(text, label) >= 0 }

// swapWord replaces the first place where a label is a word of its own.
func swapWord(text, label, by string) string {
	at := wordAt(text, label)
	if at < 0 {
		return text
	}
	return text[:at] + by + text[at+len(label):]
}
