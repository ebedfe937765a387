package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"autobuild/internal/text"
)

// maxEdges bounds how many dependencies ranges and "all" can expand to.
const maxEdges = 1_000_000

// resolver turns lists as written into positions and collects what is wrong with them.
type resolver struct {
	*names
	draft *Draft
	found Problems
	says  string // how a list is put into words; empty is "depends on"
	pos   Pos    // of the entry being read
	width int
}

func (r *resolver) problem(
	code string, severity Severity, pos Pos, width int, message, hint string,
) {
	p := Problem{
		Code: code, Severity: severity, Pos: pos, Width: width, Message: message,
		Hint: hint,
	}
	if r.draft.Line != nil && pos.Valid() {
		p.Line = r.draft.Line(pos.Line)
		p.Width = min(width, max(len(p.Line)-pos.Col+1, 0)) // the text may go on in the next line
	}
	r.found = append(r.found, p)
}

// place is where an item of a list stands: lists come without the markup of their source line, so
// the item is looked up in the line itself.
func (r *resolver) place(ref Ref, item string) (Pos, int) {
	if r.draft.Line == nil || !ref.Pos.Valid() {
		return ref.Pos, 0
	}
	line := r.draft.Line(ref.Pos.Line)
	from := min(max(ref.Pos.Col-1, 0), len(line))
	if at := strings.Index(line[from:], item); at >= 0 && item != "" {
		return Pos{Line: ref.Pos.Line, Col: from + at + 1}, len(item)
	}
	return ref.Pos, 0
}

// all resolves several lists of phase self.
func (r *resolver) all(self int, refs []Ref) relation {
	var rel relation
	for _, ref := range refs {
		r.list(self, ref, &rel)
	}
	rel.hard, rel.soft = unique(rel.hard), unique(rel.soft)
	rel.soft = slices.DeleteFunc(rel.soft, func(i int) bool { return slices.Contains(rel.hard, i) })
	return rel
}

func (r *resolver) list(self int, ref Ref, rel *relation) {
	if rest, none := saysNone(ref.Text); none {
		if hasSoftWord(rest) {
			r.addPreferences(self, rest, rel)
		}
		return
	}
	if hit, ok := r.phaseByName(ref.Text); ok {
		rel.hard = append(rel.hard, hit)
		return
	}
	var own relation
	every := false
	for k, item := range splitList(ref.Text) {
		if k > 0 && slices.Contains(states, item.text) && len(r.find(item.text)) == 0 {
			continue
		}
		var entry relation
		r.item(self, ref, item, &entry)
		r.readNotes(self, item.notes, &entry)
		_, all := saysAll(item.text)
		every = every || all
		if _, out := splitException(" " + item.notes); out != "" {
			r.ruleOut(self, ref, out, all, &entry)
		}
		own.add(entry)
	}
	if _, out := splitException(ref.Text); out != "" && afterNone(ref.Text) == "" {
		r.ruleOut(self, ref, out, every, &own)
	}
	rel.add(own)
}

// resolveAll resolves an entry that means all phases, or all phases in its parentheses.
func (r *resolver) resolveAll(self int, item listItem, rel *relation) bool {
	if hits := r.phasesInBrackets(item); len(hits) > 0 {
		rel.hard = append(rel.hard, without(hits, self)...)
		return true
	}
	previous, all := saysAll(item.text)
	switch {
	case previous:
		rel.hard = append(rel.hard, r.before(self)...)
	case all:
		rel.all = true
	}
	return all
}

// phasesInBrackets finds the phases that stand in parentheses behind a word for all: "all
// implementation phases (1-7)".
func (r *resolver) phasesInBrackets(item listItem) []int {
	word, _, _ := strings.Cut(strings.ToLower(item.text), " ")
	if word != "all" && word != "every" && word != "both" ||
		!strings.ContainsAny(item.notes, "0123456789") {
		return nil
	}
	var hits []int
	for _, part := range splitList(item.notes) {
		found, _, _ := r.mention(part.text)
		if len(found) == 0 {
			return nil
		}
		hits = append(hits, found...)
	}
	return hits
}

// phaseByName finds a phase by a name that contains a separator: "Testing & Validation completion".
func (r *resolver) phaseByName(text string) (int, bool) {
	if !strings.ContainsAny(text, "&,+;/") && !strings.Contains(text, " and ") {
		return 0, false
	}
	name := calling(text)
	for _, end := range []string{
		" completion", " complete", " completed", " done", " finished",
		" being complete", " is complete", " phase",
	} {
		name = strings.TrimSpace(strings.TrimSuffix(name, end))
	}
	if hits := r.called[name]; len(hits) == 1 {
		return hits[0], true
	}
	return 0, false
}

// readNotes are never dependencies; but "3 for the export" and "recommended after 1-2" are
// preferences.
func (r *resolver) readNotes(self int, notes string, rel *relation) {
	before, _, says := strings.Cut(notes, " for ")
	if _, one := r.one(before); hasSoftWord(notes) || (says && one) {
		r.addPreferences(self, notes, rel)
	}
}

// addPreferences adds the phases that a text names as preferences, and ignores the rest.
func (r *resolver) addPreferences(self int, text string, rel *relation) {
	for _, item := range splitList(strings.Trim(text, "() ")) {
		hits, _, _ := r.mention(item.text)
		for _, hit := range hits {
			if hit != self {
				rel.soft = append(rel.soft, hit)
			}
		}
	}
}

func (r *resolver) item(self int, ref Ref, item listItem, rel *relation) {
	if item.text == "" || r.expanded > maxEdges {
		return
	}
	if _, none := saysNone(item.text); none {
		return
	}
	if r.resolveAll(self, item, rel) {
		return
	}
	if saysPrevious(item.text) {
		if self > 0 {
			rel.hard = append(rel.hard, self-1)
		}
		return
	}
	if r.takeExternal(item.text, rel) {
		return
	}
	if strings.Contains(strings.ToLower(item.text), "parallel") && len(r.find(item.text)) == 0 {
		return // "Phase 1; can run in parallel with 2"
	}
	pos, width := r.place(ref, item.text)
	r.pos, r.width = pos, width
	hits, rest, several := r.mention(item.text)
	if kind, _ := SplitKind(item.notes); len(hits) == 0 && kind != "" {
		hits, rest, several = r.mention(item.notes) // "the backend (Phase 2)"
	}
	switch {
	case len(hits) == 0 && r.draft.Other != nil && r.draft.Other(item.text):
		message := fmt.Sprintf("%q is no phase, but something else that the document lists",
			text.Clip(item.text, maxQuoted))
		r.problem("I-NOTE", Info, pos, width, message, "")
	case len(hits) == 0:
		r.unknown(self, item, pos, width, rel)
	case !several && len(hits) > 1:
		labels := make([]string, len(hits))
		for k, hit := range hits {
			labels[k] = r.phases[hit].Label
		}
		r.problem("E-AMBIGUOUS", Error, pos, width,
			fmt.Sprintf("phase %s depends on %q, which can be %s", r.phases[self].Label,
				text.Clip(item.text, maxQuoted), enumerate(labels)),
			"write the full id")
		rel.bad = true
	case hasSoftWord(item.text):
		rel.soft = append(rel.soft, without(hits, self)...)
	default:
		if strings.TrimSpace(rest) != "" {
			r.problem("I-NOTE", Info, pos, width,
				fmt.Sprintf("%q beside the dependency is a remark",
					text.Clip(strings.TrimSpace(rest), maxQuoted)), "")
		}
		if several {
			hits = without(hits, self)
		}
		r.expanded += len(hits)
		rel.hard = append(rel.hard, hits...)
	}
}

// takeExternal adds labels of other documents to External, unless they are labels of this one.
func (r *resolver) takeExternal(label string, rel *relation) bool {
	if r.draft.Elsewhere == nil || len(r.find(label)) > 0 {
		return false
	}
	name, ok := r.draft.Elsewhere(label)
	if ok {
		rel.elsewhere = append(rel.elsewhere, name)
	}
	return ok
}

// nameOne is the advice when no phase of the plan resembles an unknown one.
const nameOne = "name a phase of this plan, or \"none\""

func (r *resolver) unknown(self int, item listItem, pos Pos, width int, rel *relation) {
	_, core := SplitKind(item.text)
	hint := nameOne
	if near := r.near(core); len(near) > 0 {
		hint = "did you mean " + enumerate(near) + "?"
	}
	r.problem("E-UNKNOWN", Error, pos, width,
		fmt.Sprintf("phase %s %s unknown phase %s", r.phases[self].Label,
			cmp.Or(r.says, "depends on"),
			text.Clip(core, maxQuoted)), hint)
	rel.bad = true
}

// mention finds the phases that one entry names: an id, a range, ids joined by slashes, or one of
// these among words. rest is what remains of the entry. Where there are several hits, several says
// that they are a range and no ambiguity.
func (r *resolver) mention(text string) (hits []int, rest string, several bool) {
	if hits, several = r.exactly(text); len(hits) > 0 {
		return hits, "", several
	}
	words := strings.Fields(text)
	for i := range words {
		words[i] = unelided(words[i])
	}
	const longest = 6
	kindBefore := false
	for from := range words {
		for to := min(len(words), from+longest); to > from; to-- {
			phrase := strings.Trim(strings.Join(words[from:to], " "), ".:;—–-()")
			if from > 0 && !kindBefore && !r.plain(phrase) {
				continue
			}
			if hits, several = r.exactly(phrase); len(hits) > 0 {
				return hits, strings.Join(words[to:], " "), several
			}
		}
		word := strings.ToLower(strings.Trim(words[from], ".:;"))
		_, digits := SplitKind(words[from] + " 1")
		kindBefore = digits == "1" && word != ""
		if !kindBefore && !slices.Contains(fillers, word) && !slices.Contains(softWords, word) &&
			!r.kindLater(words[from+1:]) {
			return nil, "", false
		}
	}
	return nil, "", false
}

// unelided is a word without the article before its apostrophe: "étape" of "l'étape".
func unelided(word string) string {
	for _, mark := range []string{"'", "’"} {
		if article, rest, found := strings.Cut(word, mark); found && rest != "" &&
			slices.Contains([]string{"l", "d", "dell", "dall", "all"}, strings.ToLower(article)) {
			return rest
		}
	}
	return word
}

// plain reports whether a phrase in the middle of a sentence can be an id: it has a digit or is in
// capitals. The article "a" is not phase A.
func (r *resolver) plain(phrase string) bool {
	return strings.ContainsAny(phrase, "0123456789") || strings.ToUpper(phrase) == phrase
}

// kindLater reports whether some word names the kind of thing that an id would follow: in "the
// schema from phase 2" the number can only be a phase.
func (r *resolver) kindLater(words []string) bool {
	return slices.ContainsFunc(words[:min(len(words), 12)], func(w string) bool {
		kind, core := SplitKind(w + " 1")
		return kind != "" && core == "1"
	})
}

// exactly reads a text that is nothing but an id, a range, an open range, or ids joined by slashes.
func (r *resolver) exactly(text string) (hits []int, several bool) {
	if open, found := strings.CutSuffix(text, "+"); found {
		if first, ok := r.one(open); ok {
			for i := first; i < len(r.phases); i++ {
				hits = append(hits, i)
			}
			return hits, true
		}
	}
	if hits = r.find(text); len(hits) > 0 {
		return hits, false
	}
	if hits = r.slashed(text); len(hits) > 0 {
		return hits, true
	}
	for _, dash := range []string{
		"..", "…", "–", "—", " to ", " through ", " thru ", "~", "〜",
		"-",
	} {
		for at := 0; ; {
			k := strings.Index(text[at:], dash)
			if k < 0 {
				break
			}
			at += k
			from, to := text[:at], strings.TrimLeft(text[at+len(dash):], ".")
			if hits, left, ok := r.span(from, to); ok {
				r.leftOut(text, left)
				return hits, true
			}
			at += len(dash)
		}
	}
	return nil, false
}

func (r *resolver) slashed(text string) []int {
	if !strings.Contains(text, "/") {
		return nil
	}
	var hits []int
	for part := range strings.SplitSeq(text, "/") {
		hit, ok := r.one(part)
		if !ok {
			return nil
		}
		hits = append(hits, hit)
	}
	return hits
}

func (r *resolver) leftOut(span string, left []int) {
	if len(left) == 0 {
		return
	}
	labels := make([]string, len(left))
	for k, i := range left {
		labels[k] = r.phases[i].Label
	}
	r.problem("W-RANGE", Warning, r.pos, r.width,
		fmt.Sprintf("the range %q leaves out %s", text.Clip(span, maxQuoted), enumerate(labels)),
		"list them if they are meant")
}

// before lists the positions ahead of i.
func (r *resolver) before(i int) []int {
	if r.expanded+i > maxEdges {
		r.expanded = maxEdges + 1
		return nil
	}
	r.expanded += i
	hits := make([]int, i)
	for k := range hits {
		hits[k] = k
	}
	return hits
}
