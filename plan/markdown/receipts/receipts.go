// Package receipts accounts for each line of a document that looks like work or order. Account
// writes what became of the line in the plan, and adds W-UNREAD where nothing did. It compares with
// the finished graph and changes no phase.
package receipts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/words"
)

// ledger records for every line of a document that looks like work or order what it was read as, or
// that it was not read.
type ledger struct {
	*reading.Reading
	plan       *plan.Plan
	owner      []int          // by line: the phase in whose section it is, plus one
	readAs     map[int]string // by line: what a list of dependencies there was read as
	kinds      map[string]bool
	items      map[int]bool // by line: the list items that are phases
	all        []plan.Receipt
	open       plan.Problems
	phaseNames map[string]int // those that are searched for in prose
	letters    []string       // the ids of phases that have no digit
	lost       int            // the number of the last heading that continues those of the phases, and is none
	heard      []bool         // by phase: a line of it is about the order of it and another one
}

// Account adds the receipts of a plan, and a W-UNREAD finding for each line that was not read.
func Account(r *reading.Reading, p *plan.Plan) {
	if p.Len() != len(r.Units) || r.Doc.Hidden == nil {
		return // a task file in JSON has no lines to account for
	}
	l := ledger{
		Reading: r, plan: p, owner: make([]int, r.Doc.Count()+2), readAs: map[int]string{},
		kinds: map[string]bool{}, items: map[int]bool{}, heard: make([]bool, p.Len()),
	}
	r.Known = nil
	for i := range r.Units {
		l.enter(i)
	}
	l.headings()
	l.boxes()
	l.hidden()
	l.comments()
	l.rows()
	l.lostTitles()
	l.overviews()
	l.groups()
	l.relations()
	l.turns()
	l.chains()
	l.unknownLabels()
	l.taskLabels()
	l.charts()
	l.absent()
	l.blocks()
	l.unheard()
	p.MarkStated(l.heard)
	l.stated()
	slices.SortStableFunc(l.all, func(a, b plan.Receipt) int { return cmp.Compare(a.Line, b.Line) })
	p.Receipts = slices.CompactFunc(l.all, func(a, b plan.Receipt) bool { return a == b })
	p.Notes = append(p.Notes, l.open...)
	p.Notes.Sort()
}

// enter notes the lines of a phase.
func (l *ledger) enter(i int) {
	u := &l.Units[i]
	for n := u.From; n > 0 && n < u.To && n < len(l.owner); n++ {
		l.owner[n] = i + 1
	}
	if u.Own > 0 {
		l.items[l.Doc.Items[u.Own-1].Line] = true
	}
	if u.Title.Kind != "" {
		l.kinds[u.Title.Kind] = true
	}
	for _, refs := range [][]plan.Ref{u.Needs, u.Again, u.Soft, u.Implied} {
		for _, ref := range refs {
			l.readAs[ref.Pos.Line] = "dependencies of " + u.Label
		}
	}
	for _, refs := range [][]plan.Ref{u.Beside, u.Unlocks} {
		for _, ref := range refs {
			if l.readAs[ref.Pos.Line] == "" {
				l.readAs[ref.Pos.Line] = "order of " + u.Label
			}
		}
	}
}

func (l *ledger) note(line int, kind plan.Evidence, format string, args ...any) {
	l.all = append(l.all, plan.Receipt{Line: line, Kind: kind, As: fmt.Sprintf(format, args...)})
}

// unread records a line that was not read. With an empty message another line has the finding.
func (l *ledger) unread(line int, kind plan.Evidence, message, hint string) {
	l.all = append(l.all, plan.Receipt{Line: line, Kind: kind})
	if message != "" {
		l.finding(line, message, hint)
	}
}

// finding reports a line that was not read, or only in part.
func (l *ledger) finding(line int, message, hint string) {
	text := l.Doc.Line(line)
	lead := len(text) - len(strings.TrimLeft(text, " \t"))
	l.open = append(l.open, plan.Problem{
		Code: "W-UNREAD", Severity: plan.Warning, Pos: plan.Pos{Line: line, Col: lead + 1},
		Width: len(strings.TrimRight(text, " ")) - lead, Line: text,
		Message: message, Hint: hint,
	})
}

// headings accounts for the headings that have an id, or that look as if they should.
func (l *ledger) headings() {
	starts, levels := map[int]int{}, map[int]bool{}
	for i := range l.Units {
		if u := &l.Units[i]; u.From > 0 {
			starts[u.From] = i + 1
			levels[u.Level] = true
		}
	}
	for i := range l.Doc.Headings {
		h := &l.Doc.Headings[i]
		owner := l.owner[h.Line]
		if starts[h.Line] > 0 {
			l.rangeTitle(h)
			l.note(h.Line, plan.EvidenceHeading, "phase %s", l.Units[starts[h.Line]-1].Label)
			continue
		}
		if l.Asides[h.Line] {
			l.unread(h.Line, plan.EvidenceHeading, "", "") // the heading above has the finding
			continue
		}
		if near := l.misspeltKind(h); near != "" && levels[h.Level] {
			l.unread(h.Line, plan.EvidenceHeading,
				fmt.Sprintf("the heading %q is read as no phase", text.Clip(h.Text, maxQuoted)),
				"did you mean \""+near+"\"?")
			continue
		}
		if (owner == 0 || h.Title.Label == "" && levels[h.Level]) && !l.holdsPhases(h) &&
			l.lostHeading(h, levels) {
			l.unread(h.Line, plan.EvidenceHeading,
				fmt.Sprintf("the heading %q is read as no phase", text.Clip(h.Text, maxQuoted)),
				"write it as the headings of the phases, with one id")
			continue
		}
		if h.Title.Label == "" {
			l.otherHeading(h)
			continue
		}
		of, known := l.Index().Find(words.Prefixed(h.Title.Kind+" ", h.Title.Label))
		switch {
		case known && (l.kinds[h.Title.Kind] || words.ShareWord(h.Title.Name, l.Units[of].Name)):
			l.note(h.Line, plan.EvidenceHeading, "about %s", l.Units[of].Label)
		case l.holdsPhases(h):
			l.note(h.Line, plan.EvidenceHeading, "heading around phases")
		case owner > 0 && (h.Title.Kind == "" || !l.kinds[h.Title.Kind] ||
			child(h.Title.Label, l.Units[owner-1].Label)):
			l.note(h.Line, plan.EvidenceHeading, "part of %s", l.Units[owner-1].Label)
		case h.Title.Kind != "" && h.Level > 1 && (owner > 0 || workKind(h.Title.Kind)) &&
			!l.isUserStory(h):
			l.unread(h.Line, plan.EvidenceHeading,
				fmt.Sprintf("the heading %q is read as no phase", text.Clip(h.Text, maxQuoted)),
				"put it on the level of the phases, or take the number out of it")
		default:
			l.note(h.Line, plan.EvidenceHeading, "section of the document")
		}
	}
}

// otherHeading accounts for a heading without an id of a phase that has a number.
func (l *ledger) otherHeading(h *document.Heading) {
	switch of := l.owner[h.Line]; {
	case !isNumbered(h.Text):
	case of > 0:
		l.note(h.Line, plan.EvidenceHeading, "part of %s", l.Units[of-1].Label)
	default:
		l.note(h.Line, plan.EvidenceHeading, "section of the document")
	}
}

// isNumbered reports whether a heading has a number behind a word that is no kind of phases, as in
// "Option 1: Keep it".
func isNumbered(text string) bool {
	_, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	label, tail := words.IDAt(rest)
	_, _, ok := words.SplitSeparator(tail)
	return ok && label != "" && label[0] >= '0' && label[0] <= '9'
}

// stated adds a receipt for each line that states dependencies and has none yet.
func (l *ledger) stated() {
	done := make([]bool, len(l.owner))
	for _, r := range l.all {
		done[min(r.Line, len(done)-1)] = true
	}
	for line, as := range l.readAs {
		if line > 0 && line < len(done) && !done[line] {
			l.note(line, plan.EvidenceRelation, "%s", as)
		}
	}
}

// isUserStory reports whether a heading is that of a user story without work: no phase is a story,
// and no box stands below it.
func (l *ledger) isUserStory(h *document.Heading) bool {
	story := h.Title.Kind == "story" || h.Title.Kind == "user story"
	numbered := strings.Contains(h.Title.Label, ".") // below an epic
	return story && !numbered && !l.kinds[h.Title.Kind] && !l.Doc.HasBoxIn(h.Line, h.End)
}

// workKind reports whether a kind always is about work; a document may have sections, parts and
// features as well.
func workKind(kind string) bool {
	at := slices.Index(words.UnitKinds, kind)
	return at >= 0 && at <= slices.Index(words.UnitKinds, "task") || kind == "work item" ||
		kind == "ticket"
}

// holdsPhases reports whether phases stand in the section of a heading.
func (l *ledger) holdsPhases(h *document.Heading) bool {
	for n := h.Line + 1; n < h.End; n++ {
		if l.owner[n] > 0 && l.Units[l.owner[n]-1].From > h.Line || l.IsPhaseLine(n) || l.items[n] {
			return true
		}
	}
	const brief = 8 // lines: a title between phases, on their own level
	next := l.owner[min(h.End, len(l.owner)-1)]
	if l.kinds[h.Title.Kind] || h.End-h.Line >= brief || next == 0 || l.Units[next-1].From != h.End {
		return false
	}
	kind, _ := plan.SplitKind(words.Bare(h.Text))
	return !l.kinds[kind]
}

// child reports whether an id is that of a part: 2.1 and 2a of 2.
func child(label, of string) bool {
	rest, found := strings.CutPrefix(words.NormalID(label), words.NormalID(of))
	return found && rest != "" && (rest[0] < '0' || rest[0] > '9')
}

// misspeltKind finds what a heading such as "Phsae 2: Backend" probably means.
func (l *ledger) misspeltKind(h *document.Heading) string {
	if strings.ContainsAny(h.Title.Label, "0123456789") {
		return ""
	}
	title := words.Bare(h.Text)
	if near := l.nearKind(title); near != "" {
		return near
	}
	_, title, _ = strings.Cut(title, " ")
	return l.nearKind(title) // "II. Phsae 2"
}

// nearKind is the kind word that a title begins with but for two letters, and the id behind it.
func (l *ledger) nearKind(title string) string {
	word, rest, _ := strings.Cut(title, " ")
	if len(word) < 4 {
		return ""
	}
	label, tail := words.IDAt(strings.TrimSpace(rest))
	if label == "" || !strings.ContainsAny(label, "0123456789") {
		return ""
	}
	if _, _, ok := words.SplitSeparator(tail); !ok {
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
	var run []int               // lines of boxes that were read as nothing
	phases := map[[2]int]bool{} // by heading and parent: a phase is an item of that list
	for i := range l.Doc.Items {
		it := &l.Doc.Items[i]
		list := [2]int{l.Doc.HeadingAbove(it.Line).Line, it.Parent}
		phases[list] = phases[list] || l.items[it.Line]
		if it.Box == 0 {
			continue
		}
		as := l.boxAs(it, read[it.Line])
		if phases[list] && !l.items[it.Line] {
			if near := l.nearKind(words.Bare(inline.Plain(it.Raw))); near != "" {
				l.unread(it.Line, plan.EvidenceBox, fmt.Sprintf("the item %q is read as no phase",
					text.Clip(inline.Plain(it.Raw), maxQuoted)), "did you mean \""+near+"\"?")
				continue
			}
		}
		if strings.HasPrefix(as, "text of") && phases[list] {
			as = "" // beside the boxes that are phases
		}
		if as != "" {
			l.note(it.Line, plan.EvidenceBox, "%s", as)
			continue
		}
		if len(run) > 0 && l.Doc.HeadingAbove(run[0]).Line != l.Doc.HeadingAbove(it.Line).Line {
			l.boxesOutside(run)
			run = nil
		}
		run = append(run, it.Line)
	}
	l.boxesOutside(run)
}

// readBoxes says by line what the boxes of phases were read as.
func (l *ledger) readBoxes() map[int]string {
	read := map[int]string{}
	for i := range l.Units {
		u := &l.Units[i]
		for _, t := range u.Tasks {
			read[t.Pos.Line] = "task of " + u.Label
		}
		for _, t := range u.Criteria {
			read[t.Pos.Line] = "criterion of " + u.Label
		}
		for _, k := range append(slices.Clone(u.OtherBoxes), u.Own-1) {
			if k >= 0 {
				read[l.Doc.Items[k].Line] = "phase " + u.Label
			}
		}
	}
	return read
}

// boxAs is what a box became; read is what it is known to be.
func (l *ledger) boxAs(it *document.Item, read string) string {
	switch {
	case read != "":
		return read
	case it.Quoted:
		return "quotation"
	case l.owner[it.Line] > 0:
		return "text of " + l.Units[l.owner[it.Line]-1].Label
	case l.Doc.IsAboutPlan(it.Line) || IsWholePlan(l.Doc, it.Line):
		return "criterion of the whole plan"
	case it.EmojiSize > 0 && it.Box == 'x':
		return "text of the document"
	}
	return ""
}

// boxesOutside reports a run of boxes under one heading that no phase has.
func (l *ledger) boxesOutside(run []int) {
	if len(run) == 0 {
		return
	}
	what := "a box is in no phase"
	if len(run) > 1 {
		what = fmt.Sprintf("%d boxes (lines %d to %d) are in no phase", len(run), run[0],
			run[len(run)-1])
	}
	if h := l.Doc.HeadingAbove(run[0]); h.Line > 0 {
		what += ", under \"" + text.Clip(h.Text, maxQuoted) + "\""
	}
	l.unread(run[0], plan.EvidenceBox, what,
		"no phase does or ticks them; put them into a phase, or write them as plain items")
	for _, line := range run[1:] {
		l.unread(line, plan.EvidenceBox, "", "")
	}
}

// IsWholePlan reports whether a line stands under a heading about the whole plan that is no part of
// the work: its goals, its last checks.
func IsWholePlan(d *document.Document, line int) bool {
	for h := d.HeadingAbove(line); h.Line > 0; h = d.ParentHeading(h) {
		if h.Level > 1 && words.ContainsAny(" "+inline.Words(h.Text), " verification",
			" validation",
			"checklist", " goals", " sign-off", " review",
			"definition of ready", "non-goals", "requirements", "questions",
			"prerequisites", "risks", "rollback", "验证", "验收", "检查", "確認", "検証", "검증", "prüfung",
			"abnahme",
			"vérification", "verificación",
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
