package receipts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// lostHeading reports whether a heading that is no phase looks like one. It has the phases' kind
// word with an unknown id, or the number after theirs, or its section lists phases to wait for.
func (l *ledger) lostHeading(h *document.Heading, levels map[int]bool) bool {
	if !levels[h.Level] && h.Level > 1 {
		return false
	}
	if h.Title.Label == "" && l.waitsForPhases(h) {
		return true
	}
	before := l.lastBefore(h.Line)
	title, _, _ := strings.Cut(words.Bare(h.Text), ":")
	if before == 0 {
		return h.Level > 1 && l.namesUnknown(title, h.Title)
	}
	return l.namesUnknown(title, h.Title) || l.isClosing(title) || l.continues(h, before)
}

// waitsForPhases reports whether the section of a heading has a line of dependencies that names
// phases: "**Depends on:** all tasks".
func (l *ledger) waitsForPhases(h *document.Heading) bool {
	return slices.ContainsFunc(l.Doc.LabelsIn(h.Line+1, h.End), func(lb document.Label) bool {
		if !words.IsNeedLabel(lb.Name) || l.readAs[lb.Line] != "" {
			return false
		}
		value := inline.Plain(lb.Value)
		known, _, _ := l.Index().Count(value)
		return known > 0 || plan.SaysAll(value) || l.holdsKind(value)
	})
}

// holdsKind reports whether a text has the word that the document calls its phases by.
func (l *ledger) holdsKind(s string) bool {
	s = strings.ToLower(s)
	return slices.ContainsFunc(l.Units, func(u section.Unit) bool {
		return u.Word != "" && strings.Contains(s, strings.ToLower(u.Word))
	})
}

// lastBefore is the highest number of the phases whose headings stand before a line; 0 where there
// are none.
func (l *ledger) lastBefore(line int) int {
	last := 0
	for i := range l.Units {
		u := &l.Units[i]
		if u.From == 0 || u.From >= line || u.Own > 0 {
			continue
		}
		number, _ := strconv.Atoi(strings.TrimLeft(u.Label, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
		last = max(last, number)
	}
	return last
}

// namesUnknown reports whether a title that begins with the word for the phases, "Phases 3 and 4",
// has a number that no phase has.
func (l *ledger) namesUnknown(title string, t words.Title) bool {
	kind, core := plan.SplitKind(title)
	if kind == "" || !l.kinds[kind] || t.Label != "" && t.Kind != kind {
		return false
	}
	if first, _ := utf8.DecodeRuneInString(core); first > unicode.MaxASCII && unicode.IsNumber(first) {
		return t.Label == "" // a numeral that is not read, such as Ⅲ
	}
	head := core
	if at := strings.IndexFunc(core, func(r rune) bool { return r == '(' || r == '[' }); at >= 0 {
		head = core[:at]
	}
	label, rest := words.IDAt(head)
	if fields := strings.Fields(rest); label != "" && len(fields) == 1 &&
		slices.Contains([]string{"bis", "ter", "quater"}, strings.ToLower(fields[0])) {
		return true
	}
	for _, id := range strings.FieldsFunc(head, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.'
	}) {
		id = strings.TrimRight(id, ".")
		if id == "" || id[0] < '0' || id[0] > '9' {
			if joins(id) {
				continue
			}
			return false
		}
		if _, known := l.Index().Find(words.Prefixed(kind+" ", id)); !known {
			return true
		}
	}
	return false
}

// rangeTitle reports a heading whose id may be a range, 3-5, where the ids of the others are
// numbers.
func (l *ledger) rangeTitle(h *document.Heading) {
	from, to, found := strings.Cut(h.Title.Label, "-")
	first, err := strconv.Atoi(from)
	last, err2 := strconv.Atoi(to)
	if !found || err != nil || err2 != nil || first >= last || from[0] == '0' ||
		slices.ContainsFunc(l.Units, func(u section.Unit) bool {
			return u.Label != h.Title.Label && strings.Contains(u.Label, "-") && !u.Title.Paired
		}) {
		return
	}
	l.finding(h.Line, fmt.Sprintf("the heading %q is read as one phase with the id %s",
		text.Clip(h.Text, maxQuoted), h.Title.Label),
		"write one heading for each phase, or a number alone")
}

// joins reports whether a word stands between two ids.
func joins(word string) bool {
	return slices.Contains([]string{
		"and", "to", "through", "or", "und", "bis", "et", "à", "y", "a", "e", "и", "до", "и",
	}, strings.ToLower(word))
}

// isClosing reports whether a title is that of a phase without an id: "Final phase".
func (l *ledger) isClosing(title string) bool {
	fields := strings.Fields(inline.Words(title))
	if len(fields) != 2 || !slices.Contains(closings, fields[0]) {
		return false
	}
	kind, _ := plan.SplitKind(fields[1] + " 1")
	return l.kinds[kind] || kind == "phase" || kind == "step"
}

// closings are words that stand for the number of a phase.
var closings = []string{
	"final", "last", "next", "bonus", "extra", "additional", "closing", "first", "optional",
	"letzte", "letzter", "nächste", "abschließende", "dernière", "prochaine", "finale", "última",
	"último", "próxima", "siguiente", "последняя", "последний", "финальная", "следующая",
}

// continues reports whether the number of a heading is the next one after those of the phases
// before it: "3. Publish" or "P3: Publish" behind "Phase 2".
func (l *ledger) continues(h *document.Heading, last int) bool {
	label := h.Title.Label
	if label == "" {
		word, rest, _ := strings.Cut(words.Bare(h.Text), " ")
		word = strings.ToLower(strings.TrimRight(word, "."))
		for kind := range l.kinds {
			if len(word) > 1 && len(word) < len(kind) && strings.HasPrefix(kind, word) {
				label, _ = words.IDAt(rest)
			}
		}
	}
	letters := strings.TrimRight(label, "0123456789")
	number, err := strconv.Atoi(label[len(letters):])
	const most = 2 // letters of a code
	if err != nil || len(letters) > most || letters != "" && l.kinds[""] ||
		slices.Contains(words.NotPhasePrefixes, strings.ToLower(letters)) {
		return false
	}
	if number != last+1 && (l.lost == 0 || number != l.lost+1) {
		return false
	}
	l.lost = number
	return true
}

// lostTitles reports lines and items that are titled as phases are, with an id that none has.
func (l *ledger) lostTitles() {
	l.lostItems()
	if !l.kinds["phase"] || l.Units[0].From == 0 || l.Units[0].Own > 0 {
		return
	}
	for i := range l.Doc.Paragraphs {
		p := &l.Doc.Paragraphs[i]
		bold := strings.HasPrefix(p.Raw, "**")
		if p.Head || p.Item >= 0 || !mayBeTitle(p.Raw) ||
			!bold && strings.HasSuffix(p.Raw, ".") {
			continue
		}
		if t := words.ReadTitle(p.Raw); bold || t.Sep == ":" {
			l.lostTitle(p.Line, t, p.Raw)
		}
	}
	for i := range l.Doc.Items {
		it := &l.Doc.Items[i]
		first := inline.FirstLine(it.Raw)
		listed := it.Box == ' ' && l.owner[it.Line] > 0 ||
			it.Box == 0 && strings.HasPrefix(first, "**")
		if listed && !it.Quoted && it.Depth == 0 && mayBeTitle(first) {
			l.lostTitle(it.Line, words.ReadTitle(first), first)
		}
	}
}

// lostItems reports the items of a numbered list that have the kind word of the phases, a name and
// an id that none has, where the phases are headings: "1. Step 1: Name" before "## Step 3".
func (l *ledger) lostItems() {
	if l.Units[0].From == 0 || l.Units[0].Own > 0 {
		return
	}
	for i := range l.Doc.Items {
		it := &l.Doc.Items[i]
		first := inline.FirstLine(it.Raw)
		if it.Number == "" || it.Quoted || it.Depth > 0 || it.Box != 0 || l.owner[it.Line] > 0 ||
			!mayBeTitle(first) {
			continue
		}
		t := words.ReadTitle(first)
		if t.Kind == "" || t.Kind == "phase" || !l.kinds[t.Kind] || t.Sep != ":" || t.Name == "" {
			continue
		}
		if _, known := l.Index().Find(t.Kind + " " + t.Label); !known {
			l.unread(it.Line, plan.EvidenceHeading,
				fmt.Sprintf("the item %q is read as no phase", text.Clip(inline.Plain(first), maxQuoted)),
				"make it a heading on the level of the phases")
		}
	}
}

// mayBeTitle reports whether a line is as short as a title, and has a number near its beginning.
func mayBeTitle(raw string) bool {
	const most, near = 100, 24 // bytes
	return len(raw) <= most && strings.ContainsAny(raw[:min(len(raw), near)], "0123456789")
}

// lostTitle reports a line with the title of a phase that the plan does not have.
func (l *ledger) lostTitle(line int, t words.Title, raw string) {
	if t.Kind != "phase" || !l.kinds[t.Kind] || t.Name == "" || l.readAs[line] != "" ||
		!words.IsNumeric(t.Label) || strings.Contains(t.Label, ".") || l.lastBefore(line) == 0 {
		return
	}
	if _, known := l.Index().Find(t.Kind + " " + t.Label); known {
		return
	}
	l.unread(line, plan.EvidenceHeading,
		fmt.Sprintf("the line %q is read as no phase", text.Clip(inline.Plain(raw), maxQuoted)),
		"make it a heading on the level of the phases")
}

// overviews reports the rows of an overview of the phases whose id no phase has.
func (l *ledger) overviews() {
	told := map[int]bool{}
	for _, r := range l.all {
		told[r.Line] = told[r.Line] || r.As == ""
	}
	for i := range l.Doc.Tables {
		t := &l.Doc.Tables[i]
		if len(t.Header) == 0 {
			continue
		}
		kind, _ := plan.SplitKind(words.HeadWords(t.Header[0].Raw) + " 1")
		if kind != "phase" || !l.kinds[kind] {
			continue
		}
		known := 0
		var lost []document.Row
		for _, row := range t.Rows {
			id := words.ReadCell(row.At(0).Raw)
			if id.Label == "" || !words.IsNumeric(id.Label) {
				continue
			}
			if _, ok := l.Index().Find(words.Prefixed("phase ", id.Label)); ok {
				known++
			} else if !told[row.Line] {
				lost = append(lost, row)
			}
		}
		if known == 0 || len(lost) > known {
			continue
		}
		for _, row := range lost {
			l.unread(row.Line, plan.EvidenceRow,
				fmt.Sprintf("the row of phase %s names a phase that is not in the plan",
					words.ReadCell(row.At(0).Raw).Label),
				"give the phase a heading, or take the row out")
		}
	}
}
