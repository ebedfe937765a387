package markdown

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/section"
)

// finish reads the sections of the phases, and then what the rest of the document says of them.
func (r *reading) finish() {
	r.boundSections()
	for i := range r.units {
		u := &r.units[i]
		u.Fill(r.doc)
		r.around(u)
		u.Aliases = append(u.Aliases, aliases(u)...)
		if u.Own == 0 && u.From > 0 && strings.TrimSpace(r.doc.Span(u.From+1, u.To)) == "" {
			r.report("W-EMPTY", plan.Warning, u.From, u.Raw, fmt.Sprintf("phase %s has an empty section", u.Label),
				"say what is to be done")
		}
		if u.Estimate.Text == "" && u.Title.Estimate != "" {
			u.Estimate = document.Estimate(u.Title.Estimate)
		}
	}
	r.indexBoxes()
	r.taskIDs()
	r.headingTasks()
	phases := make([]plan.DraftPhase, len(r.units))
	for i := range r.units {
		phases[i] = r.units[i].DraftPhase
	}
	r.names = plan.NewNames(phases, r.tasks)
	r.sectionNeeds()
	r.chapters()
	r.unlocks()
	r.charts()
	r.waves()
	r.statusTables()
	r.statuses()
	r.commitMessages()
	r.globalGates()
	r.globalPrerequisites()
	r.readConstraints()
	r.oddBoxes()
}

// boundSections ends every section where the next phase begins, or at the next heading of the same
// or a higher level.
func (r *reading) boundSections() {
	starts := map[int]bool{}
	for i := range r.units {
		if u := &r.units[i]; u.From > 0 && u.Own == 0 {
			starts[u.From] = true
		}
	}
	r.unit = make([]int, r.doc.Count()+2)
	for i := range r.units {
		u := &r.units[i]
		if u.Own == 0 && u.From > 0 {
			for _, h := range r.doc.HeadingsIn(u.From+1, u.To) {
				if starts[h.Line] {
					u.To = h.Line
					break
				}
			}
		}
		for n := u.From; n > 0 && n < u.To && n < len(r.unit); n++ {
			r.unit[n] = i + 1
		}
	}
}

// around notes the headings that a phase stands under.
func (r *reading) around(u *section.Unit) {
	level := u.Level
	line := u.From
	if line == 0 {
		line = u.RowLine
	}
	if level == 0 {
		level = document.MaxLevel + 1
	}
	for i := len(r.doc.HeadingsIn(0, line)) - 1; i >= 0 && level > 1; i-- {
		h := &r.doc.Headings[i]
		if h.Level >= level {
			continue
		}
		if level = h.Level; h.Title.Kind != "" && h.Title.Label != "" {
			u.Around = append(u.Around, h.Title.Kind+" "+h.Title.Label)
		}
	}
}

// aliases are further labels that follow from the name of a phase: US3 and User Story 3 for "User
// Story 3 - Search", T5 for "Engine (T5 — after T0)".
func aliases(u *section.Unit) (all []string) {
	if kind, core := plan.SplitKind(u.Name); kind != "" {
		if label, _ := document.IDAt(core, true); label != "" {
			all = append(all, kind+" "+label)
			if kind == "story" {
				all = append(all, "US"+label)
			}
		}
	}
	for _, open := range []string{"(", "["} {
		for part := range strings.SplitSeq(u.Raw, open) {
			word := strings.TrimRight(strings.SplitN(part, " ", 2)[0], ")],:—")
			if label, rest := document.IDAt(word, false); label != "" && rest == "" && len(label) > 1 && len(label) < 8 && label[0] >= 'A' &&
				part != u.Raw && strings.ContainsAny(label, "0123456789") && !strings.EqualFold(label, u.Label) && label[0] != 'P' {
				all = append(all, label)
			}
		}
	}
	return all
}

// indexBoxes gives the phases the boxes of a list that names them: "- [x] Step 2: Name". One that has
// no other box counts that one.
func (r *reading) indexBoxes() {
	byID := map[string]int{}
	for i := range r.units {
		if id := r.units[i].Kind + " " + idOf(r.units[i].Label); r.units[i].Own == 0 {
			byID[id] = i + 1
		}
	}
	for k := range r.doc.Items {
		it := &r.doc.Items[k]
		if it.Box == 0 || it.Quoted || r.unit[it.Line] > 0 {
			continue
		}
		t := document.ReadTitle(it.Raw)
		i := byID[t.Kind+" "+idOf(t.Label)] - 1
		if t.Label == "" || i < 0 || t.Kind == "" && !coded(t.Label) {
			continue
		}
		u := &r.units[i]
		u.OtherBoxes = append(u.OtherBoxes, k)
		r.as[it.Line] = "phase " + u.Label
		if status := document.BoxStatus(it.Box); u.Status == plan.StatusUnknown {
			u.Status = status
		}
		if len(u.Tasks)+len(u.Criteria) == 0 {
			u.Tasks = []plan.Task{section.TaskOf(r.doc, *it)}
		}
	}
}

// coded reports whether an id begins with letters and holds a number.
func coded(label string) bool { return len(prefix(label)) > 0 && len(prefix(label)) < len(label) }

// taskIDs notes the ids of the boxes within each section: "T012" is a task of phase 3.
func (r *reading) taskIDs() {
	r.tasks = map[string]int{}
	for i := range r.units {
		u := &r.units[i]
		note := func(label string) {
			id := idOf(label)
			if at, taken := r.tasks[id]; taken && at != i {
				r.tasks[id] = -1
			} else if id != "" && strings.ContainsAny(id, "0123456789") && strings.Trim(id, "0123456789") != "" {
				r.tasks[id] = i
			}
		}
		for _, it := range r.doc.ItemsIn(u.From, u.To) {
			if it.Box != 0 {
				note(document.ReadTitle(it.Raw).Label)
			}
		}
		for _, h := range r.doc.HeadingsIn(u.From+1, u.To) {
			note(h.Title.Label)
		}
	}
}

// headingTasks makes tasks of the numbered headings of a phase without boxes.
func (r *reading) headingTasks() {
	for i := range r.units {
		u := &r.units[i]
		if len(u.Tasks) > 0 || len(u.Criteria) > 0 && u.Level > 0 || u.From == 0 || u.Own > 0 {
			continue
		}
		for _, h := range r.doc.HeadingsIn(u.From+1, u.To) {
			if label := h.Title.Label; label == "" || r.aside[h.Line] ||
				h.Title.Kind == "" && !coded(label) && !strings.ContainsAny(label, ".-") {
				continue
			}
			u.NoBoxes = true
			u.Tasks = append(u.Tasks, plan.Task{
				Text: inline.Plain(h.Raw), Pos: r.doc.Pos(h.Offset),
				Done: h.Title.Status == plan.StatusDone,
			})
		}
	}
}

// sectionNeeds joins what the column, the labels of the section and the heading say. The first of
// them counts, and the others have to agree.
func (r *reading) sectionNeeds() {
	for i := range r.units {
		u := &r.units[i]
		var strong, weak []plan.Ref
		for _, ref := range u.Said {
			switch {
			case !ref.Weak:
				strong = append(strong, ref)
			case r.names.Says(i, ref.Text):
				weak = append(weak, ref)
			}
		}
		if u.Title.Needs != "" && (len(strong)+len(weak) == 0) {
			strong = append(strong, plan.Ref{Text: u.Title.Needs, Pos: u.Pos, Weak: true})
		}
		if u.Title.Beside != "" && len(u.Beside) == 0 {
			u.Beside = []plan.Ref{{Text: u.Title.Beside, Pos: u.Pos}}
		}
		for _, refs := range [][]plan.Ref{strong, weak} {
			if len(u.Needs) > 0 {
				u.Again = append(u.Again, refs...)
			} else {
				u.Needs = refs
			}
		}
	}
}

// chapter is a heading about the order of the phases.
func (r *reading) isChapter(h *document.Heading) bool {
	name := inline.Words(h.Text)
	at, _ := plan.FindWord("dependencies", name)
	return at >= 0 || document.IsNeed(name)
}

// chapters reads the statements of chapters about dependencies outside of the phases: "**Setup
// (Phase 1)**: No dependencies", "US3 depends on US1". Statements about one phase add up.
func (r *reading) chapters() {
	said := make([][]plan.Ref, len(r.units))
	for i := range r.doc.Headings {
		h := &r.doc.Headings[i]
		if !r.isChapter(h) || r.unit[h.Line] > 0 {
			continue
		}
		list := r.doc.ParagraphsIn(h.Line+1, h.End)
		for k := 0; k < len(list); {
			whole := list[k]
			for k++; k < len(list) && list[k].Line == list[k-1].Line+1 && list[k].Item == whole.Item && !list[k].Head; k++ {
				whole.Raw += " " + strings.TrimSpace(list[k].Raw)
			}
			if r.unit[whole.Line] == 0 {
				r.statements(whole, said)
			}
		}
	}
	for i, refs := range said {
		some := slices.ContainsFunc(refs, func(ref plan.Ref) bool { return !plan.SaysNone(ref.Text) })
		if some {
			refs = slices.DeleteFunc(refs, func(ref plan.Ref) bool { return plan.SaysNone(ref.Text) })
		}
		if u := &r.units[i]; len(u.Needs) == 0 {
			u.Needs = refs
		} else {
			u.Again = append(u.Again, refs...)
		}
	}
}

// statements reads a paragraph of a chapter: a subject, a colon and what it waits for, or sentences.
func (r *reading) statements(p document.Paragraph, said [][]plan.Ref) {
	line := inline.Plain(p.Raw)
	if subject, rest := subjectOf(line); strings.HasPrefix(line, subject+":") || strings.HasPrefix(line, subject+"：") {
		r.statement(p, subject, rest, said)
		return
	}
	for sentence := range sentences(line) {
		subject, rest := subjectOf(sentence)
		r.statement(p, subject, rest, said)
	}
}

// unlocks lists the phases that say what waits for them where that phase itself says nothing: only what
// a phase waits for is read.
func (r *reading) unlocks() {
	for i := range r.units {
		for _, ref := range r.units[i].Unlocks {
			if slices.ContainsFunc(r.names.Mentions(ref.Text), func(k int) bool { return len(r.units[k].Needs) == 0 && k != i }) {
				r.report("W-UNREAD", plan.Warning, ref.Pos.Line, ref.Text, fmt.Sprintf(
					"phase %s says what waits for it, and that says nothing: document order is followed", r.units[i].Label),
					"write \"**Depends on:** "+r.units[i].Label+"\" there")
			}
		}
	}
}

// statement reads what is said of a subject.
func (r *reading) statement(p document.Paragraph, subject, rest string, said [][]plan.Ref) {
	if subject == "" {
		return
	}
	for _, row := range []string{"all", "except", "only after"} {
		if at, _ := plan.FindWord(row, strings.ToLower(subject)); at >= 0 {
			return // "All but Phase 3", "Only Phase 3"
		}
	}
	units := r.names.Mentions(subject)
	if name, _, _ := strings.Cut(subject, "("); len(units) == 0 {
		if i, ok := r.names.Find(name); ok {
			units = []int{i}
		}
	}
	for clause := range clauses(rest) {
		if len(units) > 0 && len(strings.ToLower(clause)) == len(clause) {
			r.clause(p, units, clause, said)
		}
	}
}

// clause reads what one clause says of phases: a list that they wait for, a preference, or what they
// unlock.
func (r *reading) clause(p document.Paragraph, units []int, clause string, said [][]plan.Ref) {
	lower := strings.ToLower(clause)
	ref := plan.Ref{Text: clause, Pos: r.doc.Pos(p.Offset), Weak: true}
	inverse, size := plan.FindWord("blocks", lower)
	at, width := plan.FindWord("order", lower)
	soft, _ := plan.FindWord("soft", lower)
	switch {
	case plan.SaysNone(clause):
		ref.Text = "none"
	case inverse >= 0 && (at < 0 || inverse <= at):
		ref.Text = clause[inverse+size:]
		if len(units) == 1 && len(r.names.Mentions(ref.Text)) > 0 {
			r.units[units[0]].Unlocks = append(r.units[units[0]].Unlocks, ref)
		}
		return
	case soft >= 0:
		for _, i := range units {
			if len(r.names.Mentions(clause)) > 0 {
				r.units[i].Soft = append(r.units[i].Soft, ref)
			}
		}
		return
	case at < 0:
		return
	default:
		ref.Text = strings.TrimSpace(clause[at+width:])
		if ref.Text == "" || !r.names.Says(units[0], ref.Text) {
			ref.Text = strings.TrimSpace(clause[:at]) // "Phase 2 完了後"
		}
	}
	took := false
	own := r.names.Mentions(ref.Text)
	for _, i := range units {
		switch {
		case len(own) == 1 && own[0] == i:
			took = true // of two tasks of one phase
		case ref.Text != "" && (ref.Text == "none" || r.names.Says(i, ref.Text)):
			took = true
			said[i] = append(said[i], ref)
			r.as[p.Line] = "dependencies of " + r.units[i].Label
		}
	}
	if !took && (ref.Text == "" || r.as[p.Line] != "") {
		r.unreadStatement(p.Line)
	}
}

func (r *reading) unreadStatement(line int) {
	r.report("W-UNREAD", plan.Warning, line, "",
		"a statement about dependencies names no phase to wait for", "name it as the phases are called")
}

// subjectOf cuts a sentence into what it is about and what it says: at a colon, else before the
// first word of order.
func subjectOf(line string) (subject, rest string) {
	for _, colon := range []string{":", "："} {
		if before, after, ok := strings.Cut(line, colon); ok && strings.TrimSpace(after) != "" && len(before) < 80 {
			if at, _ := plan.FindWord("order", strings.ToLower(before)); at < 0 {
				return before, strings.TrimSpace(after)
			}
		}
	}
	lower := strings.ToLower(line)
	at, _ := plan.FindWord("order", lower)
	if none, _ := plan.FindWord("none", lower); none > 0 && (at < 0 || none < at) {
		at = none
	}
	if at <= 0 || len(lower) != len(line) {
		return "", ""
	}
	return line[:at], line[at:]
}

// clauses yields the parts of a statement that are statements themselves: "Depends on Setup -
// BLOCKS all stories".
func clauses(s string) iter.Seq[string] { return parts(s, " — ", " – ", " - ", ". ", "; ") }

// sentences yields the sentences of a line.
func sentences(s string) iter.Seq[string] { return parts(s, ". ", "; ", "。", "；") }

// parts yields what stands between marks, without the blanks and dots around it.
func parts(s string, marks ...string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, mark := range marks {
			s = strings.ReplaceAll(s, mark, "\x00")
		}
		for part := range strings.SplitSeq(s, "\x00") {
			if part = strings.Trim(part, " ."); part != "" && !yield(part) {
				return
			}
		}
	}
}

// arrow is an edge of a mermaid chart between two nodes: A["Phase 1"] --> B.
var (
	arrow = lazyregexp.New(`^\s*(.+?)\s*(?:-->|---|==>|-\.->|--\s[^-]*-->)\s*(?:\|[^|]*\|)?\s*(.+?)\s*;?\s*$`)
	node  = lazyregexp.New(`^([\w.-]+)\s*(?:[\[({]+"?([^"\])}]*)"?[\])}]+)?(?::::\w+)?$`)
)

// chart is a mermaid graph, with the phases of its nodes by their ids.
type chart struct {
	names *plan.Names
	nodes map[string]int
}

// find is the phase of a node as it is written: A, or A["Phase 1: Name"].
func (c *chart) find(text string) (int, bool) {
	m := node.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return 0, false
	}
	i, known := c.nodes[m[1]]
	if known && m[2] == "" {
		return i, true
	}
	label := strings.ReplaceAll(m[2], "<br/>", " ")
	for _, try := range []string{label, firstPart(label), m[1]} {
		if i, known = c.names.Find(try); known {
			break
		}
	}
	if hits := c.names.Drawn(label); !known && len(hits) == 1 {
		i, known = hits[0], true
	}
	if known {
		c.nodes[m[1]] = i
	}
	return i, known
}

// edges yields the edges of a line.
func (c *chart) edges(line string) func(func(from, to int) bool) {
	return func(yield func(from, to int) bool) {
		parts := arrow.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if parts == nil {
			return
		}
		for from := range strings.SplitSeq(parts[1], "&") {
			a, known := c.find(from)
			for to := range strings.SplitSeq(parts[2], "&") {
				if b, ok := c.find(to); known && ok && a != b && !yield(a, b) {
					return
				}
			}
		}
	}
}

// charts reads the edges of mermaid graphs as second statements: what they say has to be so.
func (r *reading) charts() {
	const most = 20_000 // edges
	count := 0
	for k := range r.doc.CodeBlocks {
		b := &r.doc.CodeBlocks[k]
		info := strings.ToLower(strings.TrimLeft(b.Info, "{. "))
		if !strings.HasPrefix(info, "mermaid") || strings.Contains(b.Text, "gantt") ||
			strings.Contains(b.Text, "sequenceDiagram") || len(b.Text) > most*8 {
			continue
		}
		c := &chart{names: r.names, nodes: map[string]int{}}
		for line := range strings.Lines(b.Text) { // labels may stand behind their first use
			_, _ = c.find(strings.TrimSuffix(strings.TrimSpace(line), ";"))
			for range c.edges(line) {
				if count++; count > most {
					return
				}
			}
		}
		n := b.From
		for line := range strings.Lines(b.Text) {
			for from, to := range c.edges(line) {
				r.units[from].Unlocks = append(r.units[from].Unlocks, plan.Ref{
					Text: r.units[to].Label, Pos: plan.Pos{Line: n, Col: 1}, Weak: true,
				})
				r.as[n] = "dependencies of " + r.units[to].Label
			}
			n++
		}
	}
}

// firstPart is the id and kind that a label of a chart begins with.
func firstPart(label string) string {
	t := document.ReadTitle(label)
	return strings.TrimSpace(t.Kind + " " + t.Label)
}

// waves puts a phase that says nothing behind all phases of the wave before its own.
func (r *reading) waves() {
	before := map[string]string{} // the wave before each, in document order
	last := ""
	for i := range r.units {
		wave := waveOf(&r.units[i])
		if _, seen := before[wave]; !seen && wave != "" {
			before[wave], last = last, wave
		}
	}
	for i := range r.units {
		u := &r.units[i]
		if wave := waveOf(u); len(u.Needs) == 0 && wave != "" {
			if earlier := before[wave]; earlier != "" {
				u.Implied = []plan.Ref{{Text: earlier, Pos: u.Pos}}
			} else if len(before) > 1 {
				u.Implied = []plan.Ref{{Text: "none", Pos: u.Pos}}
			}
		}
	}
}

func waveOf(u *section.Unit) string {
	for _, around := range u.Around {
		if kind, core := plan.SplitKind(around); kind == "wave" || kind == "batch" {
			return kind + " " + core
		}
	}
	return ""
}

// statusTables adds what tables without dependencies say of the status of known phases.
func (r *reading) statusTables() {
	for i := range r.doc.Tables {
		t := &r.doc.Tables[i]
		status := t.Column("column status")
		key := t.ColumnBeside("column id", status)
		if _, listed := r.listed[i]; listed || key < 0 || status < 0 || r.unit[t.Line] > 0 {
			continue
		}
		rows := map[int]plan.Status{}
		for _, row := range t.Rows {
			title := document.ReadCell(row.At(key).Raw)
			k, known := r.names.Find(strings.TrimSpace(title.Kind + " " + title.Label))
			said := document.StatusOf(row.At(status).Raw)
			blank := strings.Trim(row.At(status).Raw, "-–— ") == "" && status < len(row.Cells)
			if !known || said == plan.StatusUnknown && !blank {
				continue
			}
			u := &r.units[k]
			if before := rows[k]; before != plan.StatusUnknown && before != said {
				r.disagree(u, before, said, row.Line)
				u.Status = plan.StatusInProgress
			}
			rows[k] = said
			u.Stated = append(u.Stated, row.At(status))
			if u.Status == plan.StatusUnknown {
				u.Status = said
			}
		}
	}
}

// statuses settles the status of each phase: what is declared, else what the boxes say.
func (r *reading) statuses() {
	for i := range r.units {
		u := &r.units[i]
		done, all := 0, 0
		for _, t := range slices.Concat(u.Tasks, u.Criteria) {
			if all++; t.Done {
				done++
			}
		}
		for _, c := range u.Stated {
			if s := document.StatusOf(c.Raw); !c.Title && u.Status != plan.StatusUnknown && s != plan.StatusUnknown && s != u.Status {
				r.disagree(u, u.Status, s, r.doc.Pos(c.Offset).Line)
			}
		}
		line := u.Pos.Line
		switch own := u.Own > 0 && len(u.Stated) == 0; {
		case own && u.Status == plan.StatusTodo && all > 0 && done == all && len(u.OtherBoxes) == 0 && done > 1:
			r.report("W-STATUS", plan.Warning, line, u.Label, fmt.Sprintf(
				"all boxes of phase %s are ticked, and its own is not: a run does it", u.Label), "make them agree")
		case u.Status == plan.StatusUnknown && all > 0 && done == all && !u.NoBoxes:
			u.Status = plan.StatusDone
		case u.Status == plan.StatusUnknown && (done > 0 || u.Begun):
			u.Status = plan.StatusInProgress
		case u.Status == plan.StatusUnknown && all > 0 && !u.NoBoxes:
			u.Status = plan.StatusTodo
		case u.Status == plan.StatusDone && done < all && (!u.NoBoxes || done > 0):
			r.report("W-STATUS", plan.Warning, line, u.Label, fmt.Sprintf(
				"phase %s is declared done, and %s of its boxes are open: a run leaves it out", u.Label,
				fmt.Sprint(all-done)), "make them agree, or name it with --only")
		case u.Status == plan.StatusTodo && all > 0 && done == all && !own:
			r.report("W-STATUS", plan.Warning, line, u.Label, fmt.Sprintf(
				"all boxes of phase %s are ticked, and it is declared open: a run does it", u.Label), "make them agree")
		}
	}
}

// oddBoxes reports boxes with a mark that is not understood.
func (r *reading) oddBoxes() {
	for i := range r.doc.Items {
		it := &r.doc.Items[i]
		if it.Box == 0 || strings.IndexByte(" xX~-/b!", it.Box) >= 0 || r.unit[it.Line] == 0 {
			continue
		}
		r.report("W-BOX", plan.Warning, it.Line, "", fmt.Sprintf(
			"the box of line %d holds a mark that is not understood, and counts as open", it.Line),
			"use [ ], [x], [-] or [~]")
	}
}

// commitMessages reads a fence outside of all sections that lists the messages of several phases,
// each under a line such as "Phase 3A:".
func (r *reading) commitMessages() {
	for i := range r.doc.Headings {
		h := &r.doc.Headings[i]
		if document.ClassOf(h.Text) != document.ClassCommit || r.unit[h.Line] > 0 {
			continue
		}
		for _, f := range r.doc.CodeBlocksIn(h.Line, h.End) {
			current, lines := -1, map[int][]string{}
			for line := range strings.Lines(f.Text) {
				line = strings.TrimRight(line, "\n")
				t := document.ReadTitle(strings.TrimSuffix(strings.TrimSpace(line), ":"))
				if k, ok := r.names.Find(t.Label); ok && t.Kind != "" && t.Name == "" {
					current = k
				} else if current >= 0 {
					lines[current] = append(lines[current], line)
				}
			}
			for k, list := range lines {
				if message := strings.TrimSpace(strings.Join(list, "\n")); message != "" && r.units[k].Commit == "" {
					r.units[k].Commit = message
				}
			}
			if len(lines) == 0 && len(r.units) == 1 && r.units[0].Commit == "" {
				r.units[0].Commit = section.CommitText(f.Text)
			}
		}
	}
}

var (
	// eachPhase matches words that make a gate of every phase of a closing section.
	eachPhase = lazyregexp.New(
		`(?i)\b(?:(?:each|every|all|per) (?:phases?|tasks?|steps?|stor(?:y|ies)|commits?|batch(?:es)?)|after each|before each)\b`)
	// neverEnds matches commands that run until the user stops them. No gate waits for one.
	neverEnds = lazyregexp.New(
		`(?:^|&& |; )(?:npm|pnpm|yarn|bun)(?: run)? (?:dev|start|serve|preview|watch)\b|--watch\b|\bdocker[- ]compose up(?:$| (?:-[^d]|[^-]))|` +
			`^(?:open|xdg-open|tail -f|watch|code|vi|vim|less|export|source|cd) |\b(?:runserver|http\.server)\b|&\s*$`)
)

// globalGates reads the commands outside of all phases below headings about how the work is
// checked. Behind the phases they run once, when all is done; before them, and where they say so,
// they are gates of every phase that has none.
func (r *reading) globalGates() {
	last := 0
	for i := range r.units {
		last = max(last, r.units[i].From, r.units[i].Pos.Line)
	}
	var each []plan.Gate
	end := 0
	for i := range r.doc.Headings {
		h := &r.doc.Headings[i]
		class := document.ClassOf(h.Text)
		if r.unit[h.Line] > 0 || h.Line < end || class != document.ClassGates && h.Line < last ||
			!slices.Contains([]document.Class{document.ClassGates, document.ClassVerify, document.ClassCriteria}, class) {
			continue
		}
		end = h.End
		gates := r.gatesBelow(h, class, h.Line > last)
		if at, _ := plan.FindWord("gates each", inline.Words(h.Text)); h.Line < last || at >= 0 || r.saysEach(h) {
			each = append(each, gates...)
		} else {
			r.final = append(r.final, gates...)
		}
	}
	r.final = section.NameGates(r.final)
	each = section.NameGates(each)
	for i := range r.units {
		if len(r.units[i].Gates) == 0 {
			r.units[i].Gates = each
		}
	}
}

// gatesBelow lists the commands below a heading: list items, and fences that name a shell.
// Behind the phases a fence without a name may be what they print.
func (r *reading) gatesBelow(h *document.Heading, class document.Class, behind bool) (gates []plan.Gate) {
	for _, f := range r.doc.CodeBlocksIn(h.Line, h.End) {
		info, _, _ := strings.Cut(f.Info, " ")
		if !slices.Contains(section.ShellNames, info) || info == "" && behind {
			continue
		}
		found := section.BlockGates(f)
		if len(found) == 1 && strings.Contains(found[0].Command, "\n") && class != document.ClassGates {
			continue // steps by hand, with variables to fill in
		}
		gates = append(gates, found...)
	}
	gates = append(gates, section.ListGates(r.doc, document.Topic{
		From: h.Line, To: h.End, Class: document.ClassGates, Item: -1,
	})...)
	slices.SortStableFunc(gates, func(a, b plan.Gate) int { return a.Pos.Line - b.Pos.Line })
	return slices.DeleteFunc(gates, func(g plan.Gate) bool { return neverEnds.MatchString(g.Command) })
}

func (r *reading) saysEach(h *document.Heading) bool {
	for n := h.Line; n < h.End && n <= r.doc.Count(); n++ {
		text := r.doc.Line(n)
		if strings.HasPrefix(strings.TrimSpace(text), "```") {
			return false
		}
		if eachPhase.MatchString(text) {
			return true
		}
	}
	return false
}

// globalPrerequisites adds prerequisites that stand outside of all phases to every phase.
func (r *reading) globalPrerequisites() {
	var all section.Unit
	for i := range r.doc.Headings {
		h := &r.doc.Headings[i]
		if name := inline.Words(h.Text); r.unit[h.Line] == 0 && h.Level > 1 && strings.HasPrefix(name, "prereq") &&
			plan.IsWord("prerequisites only", name) {
			all.PrerequisitesIn(r.doc, h.Line+1, h.End)
		}
	}
	for i := range r.units {
		p := &r.units[i].Prerequisites
		for _, s := range all.Prerequisites.Commands {
			p.Commands = section.AddPrerequisite(p.Commands, s)
		}
		for _, s := range all.Prerequisites.Variables {
			p.Variables = section.AddPrerequisite(p.Variables, s)
		}
		for _, s := range all.Prerequisites.Files {
			p.Files = section.AddPrerequisite(p.Files, s)
		}
	}
}

// readConstraints reads the constraints that the document states outside of its phases.
func (r *reading) readConstraints() {
	for i := range r.doc.Headings {
		h := &r.doc.Headings[i]
		name := inline.Words(h.Text)
		goals := section.NonGoalNames.MatchString(name)
		if r.unit[h.Line] > 0 || !goals && !section.ConstraintNames.MatchString(name) {
			continue
		}
		for _, c := range section.ConstraintsIn(r.doc, h.Line+1, h.End, goals) {
			if len(r.constraints) < section.MaxConstraints && r.unit[c.Pos.Line] == 0 {
				r.constraints = append(r.constraints, c)
			}
		}
	}
}

// title is the title of the document: its first heading of the first level, if it is no phase.
func (r *reading) title() string {
	for i := range r.doc.Headings {
		h := &r.doc.Headings[i]
		if h.Level == 1 && r.unit != nil && r.unit[h.Line] == 0 || h.Level == 1 && r.unit == nil {
			return text.OneLine(h.Text)
		}
	}
	if e, ok := document.TopEntry(r.doc.Front, "name"); ok {
		return e.Value
	}
	return ""
}
