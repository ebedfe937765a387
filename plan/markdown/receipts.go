package markdown

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/section"
)

// ledger collects the receipts of a document, and counts what no phase owns.
type ledger struct {
	r                              *reading
	receipts                       []plan.Receipt
	boxes, lostBoxes, ids, lostIDs int
	first                          int // line of the first that is lost
}

func (l *ledger) note(line int, kind plan.Evidence, as string) {
	l.receipts = append(l.receipts, plan.Receipt{Line: line, Kind: kind, As: as})
}

func (l *ledger) lose(line int, count *int) {
	if *count++; l.first == 0 || line < l.first {
		l.first = line
	}
}

// account gives every box, heading and row with an id its receipt: the phase that owns it, the part
// of the document that it belongs to, or nothing. Too much of nothing refuses the document.
func (r *reading) account(forced bool) []plan.Receipt {
	l := &ledger{r: r, ids: len(r.units)}
	l.allBoxes()
	kinds := r.phaseKinds()
	l.headings(kinds)
	for i := range r.doc.Tables {
		l.rows(i, kinds)
	}
	slices.SortStableFunc(l.receipts, func(a, b plan.Receipt) int { return a.Line - b.Line })
	if !forced && (unsure(l.lostBoxes, l.boxes) || unsure(l.lostIDs, l.ids)) {
		r.refuse(l)
	}
	r.listUnread(l.receipts)
	r.nearLabels()
	return l.receipts
}

func (l *ledger) allBoxes() {
	r := l.r
	for i := range r.doc.Items {
		it := &r.doc.Items[i]
		if it.Box == 0 {
			continue
		}
		as := r.owner(it.Line, "task of ")
		if u := r.unitAt(it.Line); u != nil && u.Own == i+1 {
			as = "phase " + u.Label
		}
		if it.Quoted {
			as = "a quotation"
		} else if r.counts(it) {
			if l.boxes++; as == "" {
				l.lose(it.Line, &l.lostBoxes)
			}
		}
		l.note(it.Line, plan.EvidenceBox, as)
	}
	for _, line := range r.hiddenBoxes() {
		const code = 4 // columns that make code of a line
		if document.IndentOf(r.doc.Line(line)) >= code {
			l.note(line, plan.EvidenceBox, "code")
			continue
		}
		l.boxes++
		l.lose(line, &l.lostBoxes)
		l.note(line, plan.EvidenceBox, "")
	}
}

// headings accounts for the headings with an ordinal. One that is lost counts only if it has the
// kind word or the prefix of the phases.
func (l *ledger) headings(kinds map[string]bool) {
	r := l.r
	starts := map[int]*section.Unit{}
	for i := range r.units {
		starts[r.units[i].From] = &r.units[i]
	}
	for i := range r.doc.Headings {
		h := &r.doc.Headings[i]
		misspelt := h.Title.Label == "" && misspeltKind(h.Text)
		if h.Title.Label == "" && !misspelt {
			if unknownOrdinal(h.Text) {
				l.note(h.Line, plan.EvidenceHeading, cmp.Or(r.owner(h.Line, "part of "), "the plan"))
			}
			continue
		}
		as := r.headingOwner(h, starts[h.Line], kinds)
		kind, _ := groupOf(&h.Title)
		if misspelt {
			as = ""
		}
		if misspelt || as == "" && kinds[kind] {
			if l.ids++; as == "" {
				l.lose(h.Line, &l.lostIDs)
			}
		}
		l.note(h.Line, plan.EvidenceHeading, as)
	}
}

// headingOwner returns the receipt of a heading with an ordinal.
func (r *reading) headingOwner(h *document.Heading, own *section.Unit, kinds map[string]bool) string {
	if own != nil {
		return "phase " + own.Label
	}
	if as := r.owner(h.Line, "part of "); as != "" {
		return as
	}
	if r.holdsPhases(h) {
		return "group of phases"
	}
	kind, _ := groupOf(&h.Title)
	if k, known := r.names.Find(titleID(&h.Title)); known && kinds[kind] {
		return "about phase " + r.units[k].Label
	}
	if kind == "" && (!kinds[""] || r.level() != h.Level) {
		return "the plan" // a chapter
	}
	return ""
}

// titleID is the id of a title as a reference writes it.
func titleID(t *document.Title) string { return strings.TrimSpace(t.Kind + " " + t.Label) }

// unknownOrdinal reports whether a heading begins with any word and an ordinal: "Option 1: Name".
func unknownOrdinal(heading string) bool {
	word, rest, _ := strings.Cut(document.Bare(heading), " ")
	label, _ := document.IDAt(rest, false)
	return word != "" && label != ""
}

// rows accounts for the rows with an id of a table. One that is lost counts in a table with an order,
// in one whose other rows are phases, and where it has the prefix of the phases.
func (l *ledger) rows(i int, kinds map[string]bool) {
	r, t := l.r, &l.r.doc.Tables[i]
	needs, _ := needsColumn(t)
	key, listed := r.listed[i]
	if !listed {
		key = max(t.Column("column id"), 0)
	}
	ordered := needs >= 0 || t.Column("column wave") >= 0 || r.mixed(t, key)
	for _, row := range t.Rows {
		title := document.ReadCell(row.At(key).Raw)
		if title.Label == "" || summary(title.Label) {
			continue
		}
		kind, _ := groupOf(&title)
		k, known := r.names.Find(titleID(&title))
		as := r.owner(row.Line, "part of ")
		switch {
		case known && listed:
			as = "phase " + r.units[k].Label
		case as != "":
		case known:
			as = "about phase " + r.units[k].Label
		case !ordered && (!coded(title.Label) || !kinds[kind]):
			as = "the plan"
		default:
			l.ids++
			l.lose(row.Line, &l.lostIDs)
		}
		l.note(row.Line, plan.EvidenceRow, as)
	}
}

// hiddenBoxes are lines that look like boxes and are none to markdown: they stand in a block of HTML, or are
// code by their indentation.
func (r *reading) hiddenBoxes() (lines []int) {
	known := map[int]bool{}
	for i := range r.doc.Items {
		known[r.doc.Items[i].Line] = true
	}
	hidden := string(r.doc.Hidden)
	for n := 1; n <= r.doc.Count(); n++ {
		if known[n] || r.doc.Code[n] || n <= r.doc.FrontEnd {
			continue
		}
		from := r.doc.Lines[n-1]
		line := strings.TrimLeft(hidden[from:from+len(r.doc.Line(n))], " \t>")
		if after := document.AfterMarker(line); after != "" {
			if _, _, box := inline.LeadingBox(after); box {
				lines = append(lines, n)
			}
		}
	}
	return lines
}

// mixed reports whether most rows of a table name phases by a number: one that does not has a wrong
// one.
func (r *reading) mixed(t *document.Table, key int) bool {
	known := 0
	for _, row := range t.Rows {
		label := document.ReadCell(row.At(key).Raw)
		if _, found := r.names.Find(strings.TrimSpace(label.Kind + " " + label.Label)); found && strings.ContainsAny(label.Label, "0123456789") {
			known++
		}
	}
	return known > 1 && known*2 > len(t.Rows) && plan.IsWord("column id", t.Head(key))
}

// unsure reports whether more than a tenth was read as nothing.
func unsure(lost, all int) bool { return lost > 1 && lost*10 > all }

func (r *reading) level() int { return r.units[len(r.units)-1].Level }

// unitAt is the phase whose section a line is in.
func (r *reading) unitAt(line int) *section.Unit {
	if line >= len(r.unit) || r.unit[line] == 0 {
		return nil
	}
	return &r.units[r.unit[line]-1]
}

// owner returns the receipt of a line, empty where no phase and no other part has it.
func (r *reading) owner(line int, part string) string {
	if u := r.unitAt(line); u != nil {
		return part + u.Label
	}
	if as := r.as[line]; as != "" {
		return as
	}
	if r.aside[line] {
		return "the plan"
	}
	return ""
}

// holdsPhases reports whether phases stand below a heading.
func (r *reading) holdsPhases(h *document.Heading) bool {
	return slices.ContainsFunc(r.units, func(u section.Unit) bool { return u.Pos.Line > h.Line && u.Pos.Line < h.End })
}

// phaseKinds are the kinds and prefixes of the phases' ids.
func (r *reading) phaseKinds() map[string]bool {
	kinds := map[string]bool{}
	for i := range r.units {
		kind, _ := groupOf(&document.Title{Kind: r.units[i].Kind, Label: r.units[i].Label})
		kinds[kind] = true
	}
	return kinds
}

// misspeltKind reports whether a heading begins with an almost known kind word and an ordinal.
func misspeltKind(heading string) bool {
	word, rest, _ := strings.Cut(document.Bare(heading), " ")
	kind, _ := plan.SplitKind(rest)
	label, after := document.IDAt(rest, true)
	if label == "" && kind == "" || kind == "" && after != "" && unicode.IsLetter(inline.FirstRune(after)) {
		return false
	}
	if kind == "" && !strings.ContainsAny(label, "0123456789") {
		return false
	}
	return plan.NearKind(word, func(a, b string) bool {
		most := 1
		if len(b) > 6 {
			most = 2
		}
		return text.Distance(a, b, most+1) <= most || text.Misspelt(a, b)
	}) != ""
}

// refuse says why a document is not read: what was seen, what each reading would take, and the ways
// out.
func (r *reading) refuse(l *ledger) {
	var parts []string
	if unsure(l.lostBoxes, l.boxes) {
		parts = append(parts, fmt.Sprintf("%d of %d boxes", l.lostBoxes, l.boxes))
	}
	if unsure(l.lostIDs, l.ids) {
		parts = append(parts, fmt.Sprintf("%d of %d ids", l.lostIDs, l.ids))
	}
	var takes []string
	for _, name := range readings {
		other := &reading{doc: r.doc, as: map[int]string{}}
		other.markAsides()
		if other.try(name, true); len(other.units) == 0 {
			continue
		}
		a, b := &other.units[0], &other.units[len(other.units)-1]
		takes = append(takes, fmt.Sprintf("%s takes %s, %s to %s", name,
			text.Count(len(other.units), "phase"), a.Label, b.Label))
	}
	r.report("E-UNSURE", plan.Error, l.first, "", fmt.Sprintf(
		"read as %s, the document leaves %s to no phase, from line %d on; %s", r.name,
		strings.Join(parts, " and "), l.first, strings.Join(takes, "; ")),
		"say which: --reading "+strings.Join(readings, "|")+orImport)
}

// listUnread reports what no phase owns, each run of lines once.
func (r *reading) listUnread(all []plan.Receipt) {
	what := map[plan.Evidence]string{
		plan.EvidenceBox: "box", plan.EvidenceHeading: "heading", plan.EvidenceRow: "row",
	}
	several := map[plan.Evidence]string{
		plan.EvidenceBox: "boxes", plan.EvidenceHeading: "headings", plan.EvidenceRow: "rows",
	}
	for i := 0; i < len(all); {
		if all[i].As != "" {
			i++
			continue
		}
		k := i + 1
		for k < len(all) && all[k].As == "" && all[k].Kind == all[i].Kind {
			k++
		}
		line := all[i].Line
		message := fmt.Sprintf("the %s of line %d belongs to no phase", what[all[i].Kind], line)
		if k-i > 1 {
			message = fmt.Sprintf("%d %s of lines %d to %d belong to no phase",
				k-i, several[all[i].Kind], line, all[k-1].Line)
		}
		r.report("W-UNREAD", plan.Warning, line, "", message, "move it into a phase, or give it an id as the phases have")
		i = k
	}
}

// nearLabels reports labels that are almost a word for dependencies and name a phase.
func (r *reading) nearLabels() {
	for i := range r.doc.Labels {
		l := &r.doc.Labels[i]
		u := r.unitAt(l.Line)
		if u == nil || l.Value == "" || document.IsNeed(l.Name) {
			continue
		}
		at := r.unit[l.Line] - 1
		if word := nearNeed(l.Name); word != "" && r.names.Says(at, l.Value) {
			r.report("W-UNREAD", plan.Warning, l.Line, "", fmt.Sprintf(
				"the label %q of phase %s is almost %q, and was read as nothing", l.Name, u.Label, word),
				"correct the label")
		}
	}
}

// mostRelations bounds the findings about sentences.
const mostRelations = 30

// relations accounts for the sentences and drawings that name phases with a word of order: the
// graph says the same, or they are listed.
func (r *reading) relations(p *plan.Plan) {
	said := map[int]bool{}
	for i := range r.units {
		u := &r.units[i]
		for _, refs := range [][]plan.Ref{u.Needs, u.Again, u.Beside, u.Unlocks, u.Said} {
			for _, ref := range refs {
				said[ref.Pos.Line] = true
			}
		}
	}
	found := 0
	for i := range r.doc.Paragraphs {
		para := &r.doc.Paragraphs[i]
		if !strings.ContainsFunc(para.Raw, marksID) {
			continue
		}
		own := said[para.Line] || r.as[para.Line] != ""
		if own {
			r.receipt(p, para.Line, r.saidBy(para.Line))
		}
		for clause := range sentences(inline.Plain(para.Raw)) {
			if own { // the statement itself; another sentence may follow it
				own = false
				continue
			}
			as, listed := r.sentence(p, para.Line, clause)
			if !listed {
				continue
			}
			r.receipt(p, para.Line, as)
			if as != "" {
				continue
			}
			if found++; found <= mostRelations {
				r.unreadLine(p, plan.Warning, para.Line,
					"a sentence names phases with a word of order, and the graph does not say so")
			}
			break
		}
	}
	for i := range r.doc.Labels {
		if l := &r.doc.Labels[i]; document.IsNeed(l.Name) {
			r.receipt(p, l.Line, r.saidBy(l.Line))
		}
	}
	r.rowsAfter(p)
	r.unreadHeadings(p)
	r.orders(p)
	r.drawings(p)
	slices.SortStableFunc(p.Receipts, func(a, b plan.Receipt) int { return a.Line - b.Line })
	p.Notes.Sort()
}

// marksID reports whether a rune can be of an id.
func marksID(c rune) bool { return unicode.IsDigit(c) || plan.Numeral(c) || unicode.IsUpper(c) }

func (r *reading) receipt(p *plan.Plan, line int, as string) {
	p.Receipts = append(p.Receipts, plan.Receipt{Line: line, Kind: plan.EvidenceRelation, As: as})
}

// sentence accounts for one sentence. listed is false where it says nothing of order.
func (r *reading) sentence(p *plan.Plan, line int, clause string) (as string, listed bool) {
	lower := strings.ToLower(clause)
	if r.saysFree(p, line, clause, lower) {
		return "", true
	}
	at, size := plan.FindWord("order", lower)
	if at < 0 || len(lower) != len(clause) {
		return "", false
	}
	if as, listed = r.relation(p, line, clause, lower, at, size); listed {
		return as, true
	}
	if r.unitAt(line) != nil || len(r.names.Certain(clause)) == 0 {
		return "", false
	}
	if all, _ := plan.FindWord("all", lower); all >= 0 {
		return "", true // "everything after phase 1"
	}
	return "a remark", true
}

func (r *reading) saidBy(line int) string {
	if as := r.as[line]; as != "" {
		return as
	}
	if u := r.unitAt(line); u != nil {
		return "dependencies of " + u.Label
	}
	return "dependencies"
}

// relation compares one sentence with the graph. as is empty where the two differ, or where a phase
// that states nothing follows the document although the sentence says what it waits for. listed is
// false where the sentence does not relate two phases.
func (r *reading) relation(p *plan.Plan, line int, clause, lower string, at, size int) (as string, listed bool) {
	before, after := r.names.Certain(clause[:at]), r.names.Certain(clause[at+size:])
	if self := r.unitIndex(line); self != nil && p.At(self[0]).Unstated && len(p.Needs(self[0])) > 0 && !plan.IsWord("blocks", lower[at:at+size]) &&
		len(before) == 0 {
		named := r.names.Named(clause[at+size:], self[0])
		if named || len(after) > 0 && (len(after) > 1 || after[0] != self[0]) {
			return "", true
		}
	}
	if self := r.unitAt(line); self != nil && len(before) == 0 {
		before = []int{r.unit[line] - 1}
	} else if self != nil && len(after) == 0 {
		after = []int{r.unit[line] - 1}
	}
	if len(before) == 0 || len(after) == 0 {
		return "", false
	}
	word := lower[at : at+size]
	first := plan.IsWord("needs", word) || plan.IsWord("needs weak", word)
	last := plan.IsWord("blocks", word)
	for _, a := range before {
		for _, b := range after {
			ahead, behind := p.Reaches(b, a), p.Reaches(a, b)
			switch {
			case a == b:
			case first && !ahead, last && !behind, !ahead && !behind,
				ahead && p.At(a).Unstated, behind && p.At(b).Unstated:
				return "", true
			}
			listed = listed || a != b
		}
	}
	return "order of " + r.units[before[0]].Label, listed
}

// rowsAfter says in the receipts of rows what their phases wait for.
func (r *reading) rowsAfter(p *plan.Plan) {
	for i := range p.Receipts {
		rec := &p.Receipts[i]
		label, ok := strings.CutPrefix(rec.As, "phase ")
		if rec.Kind != plan.EvidenceRow || !ok {
			continue
		}
		if phase, found := p.Find(label); found && len(phase.DependsOn) > 0 {
			rec.As += " after " + text.JoinSome(phase.DependsOn, 4)
		}
	}
}

// unreadHeadings lists headings of phases that state nothing and name another with a word of order.
func (r *reading) unreadHeadings(p *plan.Plan) {
	for i := range r.units {
		u := &r.units[i]
		lower := strings.ToLower(inline.Plain(u.Raw))
		at, size := plan.FindWord("order", lower)
		if !p.At(i).Unstated || at < 0 {
			continue
		}
		if hits := r.names.Mentions(lower[at+size:]); len(hits) > 1 || len(hits) == 1 && hits[0] != i {
			r.unreadLine(p, plan.Warning, u.Pos.Line, "the heading says what comes first, and that is not read")
		}
	}
}

// orders lists the chapters about order that name phases which state nothing themselves: only
// statements with a subject are read there.
func (r *reading) orders(p *plan.Plan) {
	for i := range r.doc.Headings {
		h := &r.doc.Headings[i]
		if r.unit[h.Line] > 0 || !r.isChapter(h) {
			continue
		}
		for _, para := range r.doc.ParagraphsIn(h.Line+1, h.End) {
			if r.unit[para.Line] == 0 && r.as[para.Line] == "" && slices.ContainsFunc(r.names.Certain(inline.Plain(para.Raw)), follows(p)) {
				r.unreadLine(p, plan.Warning, para.Line, "an order is stated here that is not read")
				break
			}
		}
	}
	for i := range r.doc.Labels {
		l := &r.doc.Labels[i]
		if at, _ := plan.FindWord("dependencies", l.Name); at >= 0 && r.unit[l.Line] == 0 && r.as[l.Line] == "" &&
			slices.ContainsFunc(r.names.Mentions(strings.ReplaceAll(inline.Plain(l.Value), "then", ",")), follows(p)) {
			r.unreadLine(p, plan.Warning, l.Line, "an order is stated here that is not read")
		}
	}
}

// saysFree reports whether a sentence of a phase that states nothing says that it waits for none.
func (r *reading) saysFree(p *plan.Plan, line int, clause, lower string) bool {
	about := r.unitIndex(line)
	if about == nil {
		about = r.names.Certain(clause)
	}
	if !slices.ContainsFunc(about, follows(p)) {
		return false
	}
	at, size := plan.FindWord("none", lower)
	return at >= 0 && (strings.Contains(lower[at:at+size], " ") || size > len("standalone"))
}

// unreadLine adds a finding about a line to a finished plan.
func (r *reading) unreadLine(p *plan.Plan, severity plan.Severity, line int, message string) {
	p.Notes = append(p.Notes, plan.Problem{
		Code: "W-UNREAD", Severity: severity, Pos: plan.Pos{Line: line, Col: 1}, Line: r.doc.Line(line),
		Message: fmt.Sprintf("%s (line %d)", message, line),
		Hint:    "say it in the column \"Depends On\", or in a line \"**Depends on:** 1, 2\" of the phase",
	})
}

// arrows makes a list of a chain.
var arrows = strings.NewReplacer("→", ",", "⟶", ",", "⇒", ",", "←", ",", "->", ",", "<-", ",")

// follows reports whether a phase states nothing, and follows others of the document.
func follows(p *plan.Plan) func(int) bool {
	return func(i int) bool { return p.At(i).Unstated && len(p.Needs(i)) > 0 }
}

// drawn lists a chart, a drawing or a table that shows an order of phases. It is never read as one:
// where a phase follows the document although the order is shown, or the graph says otherwise, that
// is a warning.
func (r *reading) drawn(p *plan.Plan, line int, ids []int, doubt bool) {
	p.Receipts = append(p.Receipts, plan.Receipt{Line: line, Kind: plan.EvidenceChart})
	severity := plan.Info
	if doubt || slices.ContainsFunc(ids, follows(p)) {
		severity = plan.Warning
	}
	r.unreadLine(p, severity, line, "an order is drawn or tabled here that is not read")
}

func (r *reading) drawings(p *plan.Plan) {
	for i := range r.doc.CodeBlocks {
		r.drawnBlock(p, &r.doc.CodeBlocks[i])
	}
	for i := range r.doc.Paragraphs {
		r.drawnLine(p, &r.doc.Paragraphs[i])
	}
	for n := 1; n <= r.doc.Count() && strings.Contains(r.doc.Text, "<th"); n++ {
		line := strings.ToLower(r.doc.Line(n))
		if at, _ := plan.FindWord("needs", line); at >= 0 && strings.Contains(line, "<th") {
			r.unreadLine(p, plan.Warning, n, "a table in HTML is not read")
		}
	}
	for i := range r.doc.Tables {
		t := &r.doc.Tables[i]
		if _, listed := r.listed[i]; listed || !r.ordersRows(t) {
			continue
		}
		var all []int
		for _, row := range t.Rows {
			for _, c := range row.Cells {
				all = append(all, r.names.Drawn(inline.Plain(c.Raw))...)
			}
		}
		if slices.Sort(all); len(slices.Compact(all)) > 1 {
			r.drawn(p, t.Line, slices.Compact(all), false)
		}
	}
}

// drawnBlock looks for an order in a block of code: a chart, a drawing, or data with dependencies.
func (r *reading) drawnBlock(p *plan.Plan, b *document.CodeBlock) {
	info, _, _ := strings.Cut(strings.ToLower(strings.TrimLeft(b.Info, "{. ")), " ")
	data := slices.Contains([]string{"yaml", "yml", "json", "toml"}, info)
	chart := slices.Contains([]string{"mermaid", "dot", "graphviz", "plantuml"}, info)
	if !data && !chart && info != "" && info != "text" && info != "txt" || data && r.unit[b.Line] > 0 {
		return
	}
	var all []int
	marked, doubt := chart, false
	for n := b.From; n < b.End-1; n++ {
		line := r.doc.Line(n)
		if data {
			key, _, _ := strings.Cut(strings.Trim(line, " \t-\"'{,"), ":")
			at, _ := plan.FindWord("needs", strings.ToLower(line))
			marked = marked || at >= 0 || len(r.names.Drawn(key)) == 1
		} else if !chart && !strings.ContainsAny(line, "→⟶⇒>─│├└▶↓|↑←<∥") {
			continue
		}
		marked = marked || !data
		ids := r.names.Drawn(line)
		for k := 1; k < len(ids) && !data && !chart; k++ {
			doubt = doubt || !p.Reaches(ids[k-1], ids[k]) && !p.Reaches(ids[k], ids[k-1])
		}
		all = append(all, ids...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if read := r.as[b.From+1] != ""; marked && len(all) > 1 &&
		(!read || slices.ContainsFunc(all, follows(p))) {
		r.drawn(p, b.Line, all, doubt)
	}
}

// drawnLine looks for a chain of phases in a line.
func (r *reading) drawnLine(p *plan.Plan, para *document.Paragraph) {
	const short = 40 // bytes of a line that is nothing but an arrow and ids
	plain := inline.Plain(para.Raw)
	chain := arrows.Replace(plain)
	if chain == plain || r.as[para.Line] != "" {
		return
	}
	ids, self := r.names.Certain(chain), r.unitIndex(para.Line)
	if len(plain) < short && len(ids) == 0 {
		ids = r.names.Drawn(plain)
	}
	own := len(ids) == 1 && len(plain) < short && self != nil && ids[0] != self[0] &&
		slices.ContainsFunc(self, follows(p))
	if len(ids) > 1 || own {
		r.drawn(p, para.Line, append(ids, self...), false)
	}
}

func (r *reading) unitIndex(line int) []int {
	if line >= len(r.unit) || r.unit[line] == 0 {
		return nil
	}
	return []int{r.unit[line] - 1}
}

// ordersRows reports whether the heads of a table are words of order, or the ids of phases.
func (r *reading) ordersRows(t *document.Table) bool {
	named := 0
	for k := range t.Header {
		head := t.Head(k)
		at, _ := plan.FindWord("order", head)
		if at >= 0 || plan.IsWord("blocks", head) || plan.IsWord("from", head) || document.IsNeed(head) {
			return true
		}
		if len(r.names.Drawn(inline.Plain(t.Header[k].Raw))) == 1 {
			named++
		}
	}
	return named > 1
}
