package markdown

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"autobuild/internal/text"
	"autobuild/plan"
)

// ledger accounts for every line of a document that looks like work or order: what became of it in
// the plan, or that nothing did.
type ledger struct {
	*reading
	plan  *plan.Plan
	owner []int          // by line: the phase in whose section it is, plus one
	said  map[int]string // by line: what a list of dependencies there was read as
	kinds map[string]bool
	items map[int]bool // by line: the list items that are phases
	all   []plan.Receipt
	open  plan.Problems
}

// account writes the receipts of a plan, and adds a finding for what was read as nothing.
func account(r *reading, p *plan.Plan) {
	if p.Len() != len(r.units) || r.doc.hidden == nil {
		return // a task file in JSON has no lines to account for
	}
	l := ledger{reading: r, plan: p, owner: make([]int, r.doc.count()+2), said: map[int]string{}, kinds: map[string]bool{}, items: map[int]bool{}}
	r.known = nil
	for i := range r.units {
		l.enter(i)
	}
	l.headings()
	l.boxes()
	l.hidden()
	l.rows()
	l.relations()
	l.chained()
	l.strangers()
	l.charts()
	l.absent()
	slices.SortStableFunc(l.all, func(a, b plan.Receipt) int { return cmp.Compare(a.Line, b.Line) })
	p.Receipts = slices.CompactFunc(l.all, func(a, b plan.Receipt) bool { return a == b })
	p.Notes = append(p.Notes, l.open...)
	p.Notes.Sort()
}

// enter notes the lines of a phase.
func (l *ledger) enter(i int) {
	u := &l.units[i]
	for n := u.from; n > 0 && n < u.to && n < len(l.owner); n++ {
		l.owner[n] = i + 1
	}
	if u.own > 0 {
		l.items[l.doc.items[u.own-1].line] = true
	}
	if u.title.kind != "" {
		l.kinds[u.title.kind] = true
	}
	for _, refs := range [][]plan.Ref{u.Needs, u.Again, u.Soft, u.Implied} {
		for _, ref := range refs {
			l.said[ref.Pos.Line] = "dependencies of " + u.Label
		}
	}
	for _, refs := range [][]plan.Ref{u.Beside, u.Unlocks} {
		for _, ref := range refs {
			if l.said[ref.Pos.Line] == "" {
				l.said[ref.Pos.Line] = "order of " + u.Label
			}
		}
	}
}

func (l *ledger) note(line int, kind plan.Evidence, format string, args ...any) {
	l.all = append(l.all, plan.Receipt{Line: line, Kind: kind, As: fmt.Sprintf(format, args...)})
}

// unread lists a line that was read as nothing. An empty message leaves the finding to another
// line.
func (l *ledger) unread(line int, kind plan.Evidence, message, hint string) {
	l.all = append(l.all, plan.Receipt{Line: line, Kind: kind})
	if message != "" {
		l.finding(line, message, hint)
	}
}

// finding reports a line of which at least a part was read as nothing.
func (l *ledger) finding(line int, message, hint string) {
	text := l.doc.line(line)
	lead := len(text) - len(strings.TrimLeft(text, " \t"))
	l.open = append(l.open, plan.Problem{
		Code: "W-UNREAD", Severity: plan.Warning, Pos: plan.Pos{Line: line, Col: lead + 1}, Width: len(strings.TrimRight(text, " ")) - lead, Line: text,
		Message: message, Hint: hint,
	})
}

// headings accounts for the headings that have an id, or that look as if they should.
func (l *ledger) headings() {
	starts, levels := map[int]int{}, map[int]bool{}
	for i := range l.units {
		if u := &l.units[i]; u.from > 0 {
			starts[u.from] = i + 1
			levels[u.level] = true
		}
	}
	for i := range l.doc.heads {
		h := &l.doc.heads[i]
		owner := l.owner[h.line]
		if starts[h.line] > 0 {
			l.note(h.line, plan.EvidenceHeading, "phase %s", l.units[starts[h.line]-1].Label)
			continue
		}
		if near := l.misspeltKind(h); near != "" && levels[h.level] {
			l.unread(h.line, plan.EvidenceHeading, fmt.Sprintf("the heading %q is read as no phase", text.Clip(h.text, maxQuoted)),
				"did you mean \""+near+"\"?")
			continue
		}
		if h.title.label == "" {
			continue
		}
		of, known := l.index().Find(prefixed(h.title.kind+" ", h.title.label))
		switch {
		case known && (l.kinds[h.title.kind] || overlap(h.title.name, l.units[of].Name)):
			l.note(h.line, plan.EvidenceHeading, "about %s", l.units[of].Label)
		case l.grouping(h):
			l.note(h.line, plan.EvidenceHeading, "heading around phases")
		case owner > 0 && (h.title.kind == "" || !l.kinds[h.title.kind] || child(h.title.label, l.units[owner-1].Label)):
			l.note(h.line, plan.EvidenceHeading, "part of %s", l.units[owner-1].Label)
		case h.title.kind != "" && h.level > 1 && (owner > 0 || workKind(h.title.kind)) && !l.told(h):
			l.unread(h.line, plan.EvidenceHeading, fmt.Sprintf("the heading %q is read as no phase", text.Clip(h.text, maxQuoted)),
				"put it on the level of the phases, or take the number out of it")
		default:
			l.note(h.line, plan.EvidenceHeading, "section of the document")
		}
	}
}

// told reports whether a heading is that of a story which is only told: no phase is one, and
// nothing below it is to be done.
func (l *ledger) told(h *heading) bool {
	story := h.title.kind == "story" || h.title.kind == "user story"
	return story && !l.kinds[h.title.kind] && !l.doc.boxedIn(h.line, h.end)
}

// workKind reports whether a kind always is about work; a document may have sections, parts and
// features as well.
func workKind(kind string) bool {
	at := slices.Index(unitKinds, kind)
	return at >= 0 && at <= slices.Index(unitKinds, "task") || kind == "work item" || kind == "ticket"
}

// grouping reports whether phases stand in the section of a heading.
func (l *ledger) grouping(h *heading) bool {
	for n := h.line + 1; n < h.end; n++ {
		if l.owner[n] > 0 && l.units[l.owner[n]-1].from > h.line || l.ownLine(n) || l.items[n] {
			return true
		}
	}
	const brief = 8 // lines: a title between phases, on their own level
	next := l.owner[min(h.end, len(l.owner)-1)]
	return !l.kinds[h.title.kind] && h.end-h.line < brief && next > 0 && l.units[next-1].from == h.end
}

// child reports whether an id is that of a part: 2.1 and 2a of 2.
func child(label, of string) bool {
	rest, found := strings.CutPrefix(normal(label), normal(of))
	return found && rest != "" && (rest[0] < '0' || rest[0] > '9')
}

// misspeltKind finds what a heading such as "Phsae 2: Backend" probably means.
func (l *ledger) misspeltKind(h *heading) string {
	word, rest, _ := strings.Cut(bare(h.text), " ")
	if h.title.label != "" || len(word) < 4 {
		return ""
	}
	label, tail := idAt(strings.TrimSpace(rest))
	if label == "" || !strings.ContainsAny(label, "0123456789") {
		return ""
	}
	if _, _, ok := separated(tail); !ok {
		return ""
	}
	for kind := range l.kinds {
		if d := text.Distance(strings.ToLower(word), kind, 2); d > 0 && d <= 2 {
			return strings.ToUpper(kind[:1]) + kind[1:] + " " + label
		}
	}
	return ""
}

// boxes accounts for every box. Those that no phase has are listed by the heading they stand under.
func (l *ledger) boxes() {
	read := l.readBoxes()
	var run []int // lines of boxes that were read as nothing
	for i := range l.doc.items {
		it := &l.doc.items[i]
		if it.box == 0 {
			continue
		}
		if as := l.boxAs(it, read[it.line]); as != "" {
			l.note(it.line, plan.EvidenceBox, "%s", as)
			continue
		}
		if len(run) > 0 && l.doc.above(run[0]).line != l.doc.above(it.line).line {
			l.outside(run)
			run = nil
		}
		run = append(run, it.line)
	}
	l.outside(run)
}

// readBoxes says by line what the boxes of phases were read as.
func (l *ledger) readBoxes() map[int]string {
	read := map[int]string{}
	for i := range l.units {
		u := &l.units[i]
		for _, t := range u.Tasks {
			read[t.Pos.Line] = "task of " + u.Label
		}
		for _, t := range u.Criteria {
			read[t.Pos.Line] = "criterion of " + u.Label
		}
		for _, k := range append(slices.Clone(u.twins), u.own-1) {
			if k >= 0 {
				read[l.doc.items[k].line] = "phase " + u.Label
			}
		}
	}
	return read
}

// boxAs is what a box became; read is what it is known to be.
func (l *ledger) boxAs(it *item, read string) string {
	switch {
	case read != "":
		return read
	case it.quoted:
		return "quotation"
	case l.owner[it.line] > 0:
		return "text of " + l.units[l.owner[it.line]-1].Label
	case l.doc.general(it.line) || wholly(l.doc, it.line):
		return "criterion of the whole plan"
	case it.picture > 0 && it.box == 'x':
		return "text of the document"
	}
	return ""
}

// outside reports a run of boxes under one heading that no phase has.
func (l *ledger) outside(run []int) {
	if len(run) == 0 {
		return
	}
	what := "a box is in no phase"
	if len(run) > 1 {
		what = fmt.Sprintf("%d boxes (lines %d to %d) are in no phase", len(run), run[0], run[len(run)-1])
	}
	if h := l.doc.above(run[0]); h.line > 0 {
		what += ", under \"" + text.Clip(h.text, maxQuoted) + "\""
	}
	l.unread(run[0], plan.EvidenceBox, what, "no phase does or ticks them; put them into a phase, or write them as plain items")
	for _, line := range run[1:] {
		l.unread(line, plan.EvidenceBox, "", "")
	}
}

// wholly reports whether a line stands under a heading about the whole plan that is no part of the
// work: its goals, its last checks.
func wholly(d *document, line int) bool {
	for h := d.above(line); h.line > 0; h = d.around(h) {
		if h.level > 1 && hasAny(" "+words(h.text), " verification", " validation", "checklist", " goals", " sign-off", " review",
			"definition of ready", "non-goals", "requirements", "questions",
			"prerequisites", "risks", "rollback", "验证", "验收", "检查", "確認", "検証", "검증", "prüfung", "abnahme", "vérification", "verificación",
			"verificação", "проверка") {
			return true
		}
	}
	return false
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// maxQuoted bounds a quotation within a message, in bytes.
const maxQuoted = 63
