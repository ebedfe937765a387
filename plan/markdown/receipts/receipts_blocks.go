package receipts

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/words"
)

// mostDrawn bounds the text of a block, in bytes, and the cells of a table that are looked at.
const mostDrawn = 64 << 10

// blocks accounts for what names several phases side by side and was read as nothing: a drawing, a
// line of code, a row of a table, a line with arrows. It may order phases that only follow document
// order.
func (l *ledger) blocks() {
	if !slices.ContainsFunc(l.plan.Phases()[1:], func(p plan.Phase) bool { return p.Unstated }) {
		return
	}
	done := map[int]bool{}
	for _, r := range l.all {
		if r.Kind == plan.EvidenceRelation || r.Kind == plan.EvidenceChart {
			done[r.Line] = true
		}
	}
	for i := range l.Doc.CodeBlocks {
		if b := &l.Doc.CodeBlocks[i]; (l.owner[b.Line] == 0 || b.IsMermaid()) && !done[b.Line] {
			l.codeBlock(b, done)
		}
	}
	for i := range l.Doc.Tables {
		if t := &l.Doc.Tables[i]; l.owner[t.Line] == 0 && l.readAs[t.Line] == "" {
			l.tableOfPhases(t)
			l.besideRows(t)
			l.matrix(t)
		}
	}
	for i := range l.Doc.Paragraphs {
		p := &l.Doc.Paragraphs[i]
		if l.owner[p.Line] > 0 || done[p.Line] || l.readAs[p.Line] != "" {
			continue
		}
		if line := reading.Arrowed(inline.Plain(p.Raw)); reading.HasArrow(line) {
			l.sideBySide(p.Line, "line", l.inArrows(line))
		}
	}
}

// codeBlock looks for the first line of a block that names several phases; of a drawing, all lines
// count as one.
func (l *ledger) codeBlock(b *document.CodeBlock, done map[int]bool) {
	if len(b.Text) > mostDrawn {
		return
	}
	if b.IsMermaid() {
		l.otherChart(b)
		return
	}
	if reading.IsDrawing(b) {
		l.sideBySide(b.Line, "drawing", l.namedIn(b.Text))
		return
	}
	for n := b.From; n < b.End; n++ {
		line := l.Doc.Line(n)
		if done[n] || l.readAs[n] != "" || len(line) > words.MaxSentence {
			continue
		}
		var named []int
		if words.HasRelation(line) || l.Doc.IsAboutOrder(n) {
			named = l.namedIn(line)
		}
		if reading.HasArrow(line) {
			named = append(named, l.inArrows(line)...)
		}
		if l.sideBySide(n, "line", named) {
			return
		}
	}
}

// otherChart looks at a chart in the language of mermaid that has no nodes to be read, such as a
// Gantt chart.
func (l *ledger) otherChart(b *document.CodeBlock) {
	if chart := l.Chart(b); chart == nil || len(chart.Names) > 0 {
		return // charts accounts for it
	}
	var all []int
	for line := range strings.Lines(b.Text) {
		all = append(all, l.namedIn(line)...)
	}
	if !l.sideBySide(b.Line, "chart", all) && strings.HasPrefix(strings.TrimSpace(b.Text), "gantt") {
		l.unread(b.Line, plan.EvidenceChart, "this chart is not understood; phases follow document order",
			"if it orders them, say it in the column \"Depends On\"")
	}
}

// inArrows lists the phases between the arrows of a line, also by id alone, where most entries are
// phases. In "Ann: 1 → 3" the arrows belong to what stands before the colon.
func (l *ledger) inArrows(line string) (phases []int) {
	line = strings.Replace(line, "：", ":", 1)
	if lead, _, found := strings.Cut(line, ":"); found && !reading.HasArrow(lead) &&
		len(l.phases(lead)) == 0 {
		return nil
	}
	others := 0
	for _, entry := range reading.Arrow.Split(line, -1) {
		if known, unknown, free := l.Index().Count(entry); known > 0 && unknown == 0 && !free {
			phases = append(phases, l.Index().Mentions(entry)...)
		} else {
			others++
		}
	}
	if len(phases) < 2*others {
		return nil
	}
	return phases
}

// tableOfPhases looks for a table outside the phases whose rows name two phases each.
func (l *ledger) tableOfPhases(t *document.Table) {
	if len(t.Rows)*len(t.Header) > mostDrawn {
		return
	}
	var all []int
	rows := 0
	for _, row := range t.Rows {
		if l.IsPhaseLine(row.Line) {
			return
		}
		cells := 0
		for _, c := range row.Cells {
			cell := inline.PlainList(c.Raw)
			known, unknown, free := l.Index().Count(cell)
			bare := words.IsNumeric(strings.ReplaceAll(cell, ",", "")) // any number
			if known > 0 && unknown == 0 && !free && !bare &&
				words.RefLike(words.WithoutBrackets(cell)) {
				all = append(all, l.Index().Mentions(cell)...)
				cells++
			}
		}
		if cells > 1 {
			rows++
		}
	}
	if rows > 1 && 2*rows >= len(t.Rows) {
		l.sideBySide(t.Line, "table", all)
	}
}

// matrix reports a table of marks between phases that says both ways round what waits for what.
func (l *ledger) matrix(t *document.Table) {
	if edges, named := l.TableOrder(t); len(edges) == 0 {
		l.sideBySide(t.Line, "table", slices.Collect(maps.Keys(named)))
	}
}

// besideRows reports a table outside the phases that lets two phases run at the same time which the
// graph orders.
func (l *ledger) besideRows(t *document.Table) {
	c := document.WithKey(t, document.ReadColumns(t), nil)
	if c.Key < 0 || c.Beside < 0 {
		return
	}
	for _, row := range t.Rows {
		id := words.ReadCell(row.At(c.Key).Raw)
		i, ok := l.Index().Find(words.Prefixed(id.Kind+" ", id.Label))
		if l.IsPhaseLine(row.Line) || !ok {
			return
		}
		beside := append(l.Index().Mentions(inline.PlainList(row.At(c.Beside).Raw)), i)
		if missing, about := l.parallelConflict(beside[max(0, len(beside)-2):]); about &&
			missing != "" {
			l.unread(row.Line, plan.EvidenceRelation, "this row is not followed: "+missing,
				"say in the column \"Depends On\" what each needs")
			return
		}
	}
}

// sideBySide reports a place that names several phases of which one only follows document order.
func (l *ledger) sideBySide(line int, what string, phases []int) bool {
	slices.Sort(phases)
	phases = slices.Compact(phases)
	unstated := func(i int) bool { return i > 0 && l.plan.At(i).Unstated }
	if len(phases) < 2 || !slices.ContainsFunc(phases, unstated) {
		return false
	}
	labels := make([]string, 0, len(phases))
	for _, i := range phases {
		labels = append(labels, l.Units[i].Label)
	}
	l.unread(line, plan.EvidenceRelation,
		fmt.Sprintf("this %s names the phases %s and is not understood; they follow document order",
			what, text.JoinSome(labels, 6)),
		"if it orders them, say it in the column \"Depends On\", or in a line \"**Depends on:** "+
			"…\" of each")
	return true
}
