package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
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

	claims []claim // what lists say beside their edges
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
	if rest, none := r.saysNone(ref.Text); none {
		if hasSoftWord(rest) {
			r.addPreferences(self, rest, rel)
		} else {
			r.behindNone(self, ref, rest)
		}
		return
	}
	if hit, ok := r.phaseByName(ref.Text); ok {
		rel.hard = append(rel.hard, hit)
		return
	}
	if struck := struckOut(ref.Text); struck != "" {
		r.warn(ref, fmt.Sprintf("%q is struck out, and phase %s does not wait for it",
			text.Clip(struck, maxQuoted), r.phases[self].Label), "take it out of the list")
	}
	var own relation
	every := false
	var previous []int // what the entry before names
	for k, item := range r.splitList(ref.Text) {
		if k > 0 && slices.Contains(states, item.text) && len(r.find(item.text)) == 0 {
			continue
		}
		var entry relation
		r.item(self, ref, item, &entry)
		r.joined(ref, item, previous, entry.hard)
		previous = entry.hard
		r.readNotes(self, ref, item, &entry)
		_, all := saysAll(item.text)
		every = every || all
		if _, out := r.splitException(" " + item.notes); out != "" {
			r.ruleOut(self, ref, out, all, &entry)
		}
		own.add(entry)
	}
	if _, out := r.splitException(ref.Text); out != "" && r.afterNone(ref.Text) == "" {
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
	for _, part := range r.splitList(item.notes) {
		found := r.read(part.text).hits
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

// addPreferences adds the phases that a text names as preferences, and ignores the rest.
func (r *resolver) addPreferences(self int, text string, rel *relation) {
	for _, item := range r.splitList(strings.Trim(text, "() ")) {
		for _, hit := range r.read(item.text).hits {
			if hit != self {
				rel.soft = append(rel.soft, hit)
			}
		}
	}
}

func (r *resolver) item(self int, ref Ref, item listItem, rel *relation) {
	if item.text == "" && r.refersTo(item.notes) {
		// "(1, 2)": all of the list is in parentheses
		for _, part := range r.splitList(item.notes) {
			r.item(self, ref, part, rel)
		}
		return
	}
	if item.text == "" || r.expanded > maxEdges {
		return
	}
	if _, none := r.saysNone(item.text); none {
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
	if !r.takeExternal(item.text, rel) {
		r.enter(self, ref, item, rel)
	}
}

// ofOtherPlan matches what says that a phase is one of another document: "phase 3 of plan A",
// "phase 1 in the web plan", "phase 2 of `plans/web.md`".
var ofOtherPlan = lazyregexp.New(`(?i)\d[a-z]?[)"']* (of|in|from|von|aus|du|de|del|des|из|z) ` +
	`(the |der |dem |des |le |la |el |o )?` +
	`((plan|roadmap|rfc|epic|repo|project|projekt|projet|proyecto|спека|план[а-я]*) [A-Z0-9\x60"'][^ ]*` +
	`|[^ ]+ (plan|roadmap|rfc|repo|repository|project)|[^ ]*\.md\b|https?:)`)

// enter adds what the words of an entry say.
func (r *resolver) enter(self int, ref Ref, item listItem, rel *relation) {
	pos, width := r.place(ref, item.text)
	r.pos, r.width = pos, width
	e := r.read(item.text)
	if kind, _ := SplitKind(item.notes); len(e.hits) == 0 && !e.apart && kind != "" {
		e = r.read(item.notes) // "the backend (Phase 2)"
	}
	r.claimAll(self, e, ref)
	if slices.Contains(e.hits, self) && r.isTask(e.phrase) {
		if e.hits, rel.own = without(e.hits, self), true; len(e.hits) == 0 {
			return
		}
	}
	switch {
	case r.isOutside(item.text, e):
		r.warn(ref, fmt.Sprintf("%q is outside this plan, and phase %s does not wait for it",
			text.Clip(item.written(), maxQuoted), r.phases[self].Label),
			"check that it is complete before the run")
		rel.elsewhere = append(rel.elsewhere, item.text)
	case len(e.hits) > 0 && ofOtherPlan.MatchString(item.text):
		r.warn(ref, fmt.Sprintf("%q is a phase of another plan, and phase %s does not wait for it",
			text.Clip(item.text, maxQuoted), r.phases[self].Label),
			"name only phases of this plan")
		rel.elsewhere = append(rel.elsewhere, item.text)
	case len(e.hits) == 0:
		r.withoutHit(self, ref, item, e, rel)
	case e.ambiguous:
		labels := make([]string, len(e.hits))
		for k, hit := range e.hits {
			labels[k] = r.phases[hit].Label
		}
		r.problem("E-AMBIGUOUS", Error, pos, width,
			fmt.Sprintf("phase %s depends on %q, which can be %s", r.phases[self].Label,
				text.Clip(item.text, maxQuoted), enumerate(labels)),
			"write the full id")
		rel.bad = true
	case e.unsure != "" && e.doubt == "":
		r.problem("E-AMBIGUOUS", Error, pos, width,
			fmt.Sprintf("phase %s depends on %q, which can be a phase or a number of something",
				r.phases[self].Label, text.Clip(e.unsure, maxQuoted)),
			"write a kind word before the number of a phase, as in \"phase 2\"")
		rel.bad = true
	case e.apart && e.doubt != "" && len(e.beside) == 0:
		r.problem("I-NOTE", Info, pos, width, fmt.Sprintf("%q leaves the order open",
			text.Clip(item.text, maxQuoted)), "") // "after 1 or in parallel"
	case hasSoftWord(item.text):
		rel.soft = append(rel.soft, without(e.hits, self)...)
	case r.otherKind(item, e) && r.isDone(item):
		r.doneElsewhere(self, item)
	default:
		r.depend(self, ref, item, e, rel)
	}
}

// depend adds the phases of an entry that says no more than which they are.
func (r *resolver) depend(self int, ref Ref, item listItem, e entry, rel *relation) {
	if r.otherKind(item, e) {
		r.warn(ref, fmt.Sprintf("%q is read as phase %s, which is of another kind",
			text.Clip(item.text, maxQuoted), r.phases[e.hits[0]].Label),
			"write it as the phases are called")
	}
	r.remarks(self, ref, item, e)
	if e.several {
		e.hits = without(e.hits, self)
		rel.own = rel.own || len(e.hits) == 0
	}
	r.expanded += len(e.hits)
	rel.hard = append(rel.hard, e.hits...)
}

// isOutside reports whether an entry begins with a word for what is outside the plan, and names no
// phase behind it: "external issue #28" is not phase 28.
func (r *resolver) isOutside(entry string, e entry) bool {
	first, rest, found := strings.Cut(entry, " ")
	if !found || !slices.Contains(outsideWords, strings.ToLower(first)) ||
		len(r.find(entry)) > 0 {
		return false
	}
	kind, core := SplitKind(rest)
	return len(e.hits) == 0 && !e.namesPhase() && !e.apart ||
		kind != "" && !r.ofKind(kind) && bareNumber(strings.TrimLeft(core, "#"))
}

// takeExternal adds labels of other documents to External, unless they are labels of this one.
func (r *resolver) takeExternal(label string, rel *relation) bool {
	if r.draft.Elsewhere == nil || len(r.find(label)) > 0 || len(r.grouped(label)) > 0 {
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
	r.problem("E-UNKNOWN", Error, pos, width,
		fmt.Sprintf("phase %s %s unknown phase %s", r.phases[self].Label,
			cmp.Or(r.says, "depends on"),
			text.Clip(core, maxQuoted)), r.suggest(item))
	rel.bad = true
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
	if r.blocks(text) {
		return nil, false
	}
	if open, found := strings.CutSuffix(text, "+"); found {
		if first, ok := r.one(open); ok {
			for i := first; i < len(r.phases); i++ {
				hits = append(hits, i)
			}
			return hits, true
		}
	}
	if hits = r.grouped(text); len(hits) > 0 {
		return hits, true
	}
	if hits = r.partsOf(text); len(hits) > 0 {
		return hits, true
	}
	if hits = r.find(text); len(hits) > 0 {
		return hits, false
	}
	if hits = r.groupedByCode(text); len(hits) > 0 {
		return hits, true
	}
	if r.group != "" && bareNumber(text) {
		return r.grouped(r.group + " " + text), true
	}
	if hits = r.slashed(text); len(hits) > 0 {
		return hits, true
	}
	for _, dash := range rangeMarks {
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

// partsOf lists the phases that "3.x" names: those whose ids begin with "3.", else phase 3.
func (r *resolver) partsOf(text string) (hits []int) {
	whole, found := strings.CutSuffix(strings.ToLower(text), ".x")
	id, err := NormalID(whole)
	if !found || err != nil || !bareNumber(id) {
		return nil
	}
	for i := range r.phases {
		if strings.HasPrefix(r.phases[i].ID, id+".") {
			hits = append(hits, i)
		}
	}
	if hit, ok := r.one(whole); ok && len(hits) == 0 {
		hits = []int{hit}
	}
	return hits
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
