package plan

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"autobuild/internal/text"
)

// maxEdges bounds how many dependencies ranges and "all" can expand to.
const maxEdges = 1_000_000

// resolver turns lists as written into positions, and collects what is wrong with them. The grammar
// is that of the recommended reading of references: entries apart by commas, words for "and" and
// some signs, each an id, a range, a group, a name or a word for all, and remarks.
type resolver struct {
	*names
	draft    *Draft
	found    Problems
	expanded int
	context  string // the kind of group of the entry before
}

// relation holds the phases that one or several lists name.
type relation struct {
	hard, soft []int
	outside    []string // labels of phases of other documents
	except     []int    // what "all" leaves out
	all        bool     // every other phase
	said       bool     // the lists mean something: a phase, all, none
}

func (r *resolver) problem(
	code string, severity Severity, pos Pos, width int, message, hint string,
) {
	p := Problem{
		Code: code, Severity: severity, Pos: pos, Width: width, Message: message, Hint: hint,
	}
	if r.draft.Line != nil && pos.Valid() {
		p.Line = r.draft.Line(pos.Line)
		p.Width = min(width, max(len(p.Line)-pos.Col+1, 0)) // the text may go on in the next line
	}
	r.found = append(r.found, p)
}

// at reports a finding about an entry of a list, at its place in the source line: lists come
// without the markup of their line.
func (r *resolver) at(
	code string, severity Severity, ref Ref, entry, hint, format string, args ...any,
) {
	pos, width := ref.Pos, 0
	if r.draft.Line != nil && pos.Valid() && entry != "" {
		line := r.draft.Line(pos.Line)
		from := min(max(pos.Col-1, 0), len(line))
		if k := strings.Index(line[from:], entry); k >= 0 {
			pos, width = Pos{Line: pos.Line, Col: from + k + 1}, len(entry)
		}
	}
	r.problem(code, severity, pos, width, fmt.Sprintf(format, args...), hint)
}

// resolve reads the lists of phase self. verb is how they are put into words: "depends on".
func (r *resolver) resolve(self int, refs []Ref, verb string) relation {
	var rel relation
	for _, ref := range refs {
		r.list(self, ref, verb, &rel)
	}
	rel.hard, rel.soft = unique(rel.hard), unique(rel.soft)
	rel.soft = slices.DeleteFunc(rel.soft, func(i int) bool {
		return i == self || slices.Contains(rel.hard, i)
	})
	return rel
}

// open reports whether a list says that its phases may as well run at the same time: "after 1 or in
// parallel".
func (r *resolver) open(list string) bool {
	lower := strings.ToLower(list)
	at, _ := FindWord("beside", lower)
	if at <= 0 {
		return false
	}
	before := strings.Fields(lower[:at])
	return len(before) > 1 && IsWord("or", before[len(before)-1])
}

// SaysNone reports whether a list of dependencies says that there are none: "-", "none", "无".
func SaysNone(list string) bool {
	_, none := cutNone(list)
	return none
}

// cutNone takes a word for none off a list.
func cutNone(list string) (rest string, none bool) {
	list = strings.Trim(narrow(list), " *_`.\"'")
	if strings.Trim(list, "-–—/[]{}()∅✗✘❌ ") == "" {
		return "", true
	}
	rest, none = CutWord("none", strings.TrimLeft(list, "([-–— "))
	return rest, none
}

func (r *resolver) list(self int, ref Ref, verb string, rel *relation) {
	list := narrow(ref.Text)
	if rest, none := cutNone(list); none {
		rel.said = true
		r.behindNone(self, ref, rest, rel)
		return
	}
	if hits := r.calledBy(list); len(hits) == 1 && hits[0] != self {
		rel.said, rel.hard = true, append(rel.hard, hits...) // "Testing & Validation completion"
		return
	}
	if end := strings.TrimRight(list, " ])"); strings.HasSuffix(end, "...") || strings.HasSuffix(end, "…") {
		r.at("W-REFERENCE", Warning, ref, "", "name all of its phases", "%q is an open list", clip(ref.Text))
	}
	if r.open(list) {
		r.at("I-NOTE", Info, ref, "", "", "%q leaves the order open", clip(ref.Text))
		return
	}
	r.context = ""
	ruled := false // the entry before rules out some of all
	for _, e := range splitList(strings.NewReplacer("<br>", ",", "<br/>", ",", "<br />", ",").Replace(list)) {
		if r.expanded > maxEdges {
			return
		}
		if ruled {
			if out := r.scan(e.text, true).hits; len(out) > 0 {
				rel.except = append(rel.except, out...)
				continue
			}
		}
		ruled = r.entry(self, ref, e, verb, rel)
	}
	rel.hard = slices.DeleteFunc(rel.hard, func(i int) bool { return slices.Contains(rel.except, i) })
}

// behindNone reads what follows a word for none: preferences, or a phase to wait for after all.
func (r *resolver) behindNone(self int, ref Ref, rest string, rel *relation) {
	lower := strings.ToLower(rest)
	soft, _ := FindWord("soft", lower)
	except, size := FindWord("except", lower)
	if except >= 0 && len(lower) == len(rest) {
		rest = rest[except+size:]
	}
	hits := slices.DeleteFunc(r.mentions(strings.Trim(rest, " ,;:.()–—-")),
		func(i int) bool { return i == self })
	after, _ := FindWord("only after", lower)
	switch {
	case len(hits) == 0:
	case soft >= 0:
		rel.soft = append(rel.soft, hits...)
	case except >= 0 || after >= 0: // "none except 2", "none, but after 2"
		rel.hard = append(rel.hard, hits...)
	default:
		beside, _ := FindWord("beside", lower)
		if blocks, _ := FindWord("blocks", lower); beside < 0 && blocks < 0 {
			r.at("W-REFERENCE", Warning, ref, "", "write the phases to wait for, or none",
				"%q says that phase %s waits for none, and names phase %s",
				clip(ref.Text), r.phases[self].Label, r.phases[hits[0]].Label)
		}
	}
}

// listEntry is one entry of a list and the remarks in brackets behind it.
type listEntry struct {
	text, notes string
	or          bool // a word for "or" stands before it
}

// splitList splits a list at its separators outside brackets.
func splitList(list string) (entries []listEntry) {
	var words, notes strings.Builder
	depth, or := 0, false
	flush := func() {
		e := listEntry{
			strings.Trim(words.String(), " .:*→>"), strings.TrimSpace(notes.String()), or,
		}
		words.Reset()
		notes.Reset()
		if or = false; e.text != "" || e.notes != "" {
			entries = append(entries, e)
		}
	}
	for i := 0; i < len(list); {
		rest := list[i:]
		first := firstOf(rest)
		size := len(string(first))
		switch {
		case first == '(' || first == '[' && depth == 0 && words.Len() > 0:
			depth++
			notes.WriteByte(' ')
		case (first == ')' || first == ']') && depth > 0:
			depth--
		case depth > 0:
			notes.WriteString(rest[:size])
		case strings.ContainsRune(",;&·•、\n[]{}→", first), strings.HasPrefix(rest, "->"),
			first == '+' && !opens(list, i):
			flush()
		case first == ' ':
			if after, ok := CutWord("and", strings.TrimLeft(rest, " ")); ok && apart(after) {
				flush()
				size = len(rest) - len(after)
			} else if after, ok = CutWord("or", strings.TrimLeft(rest, " ")); ok && apart(after) {
				flush()
				or = len(entries) > 0
				size = len(rest) - len(after)
			} else {
				words.WriteByte(' ')
			}
		default:
			words.WriteString(rest[:size])
		}
		i += size
	}
	flush()
	return entries
}

func apart(rest string) bool { return rest == "" || !unicode.IsLetter(firstOf(rest)) }

// opens reports whether a plus sign ends an open range, "3+": it separates before another entry.
func opens(list string, at int) bool {
	rest := strings.TrimLeft(list[at+1:], " ")
	return at > 0 && letterOrDigit(list[at-1]) && (rest == "" || !letterOrDigit(rest[0]))
}

// entry reads one entry. It reports whether the entry rules out some of all.
func (r *resolver) entry(
	self int, ref Ref, e listEntry, verb string, rel *relation,
) (rules bool) {
	if e.text == "" {
		for _, inner := range splitList(e.notes) {
			if inner.text != "" {
				r.entry(self, ref, inner, verb, rel)
			}
		}
		return false
	}
	if SaysNone(e.text) {
		rel.said = true
		return false
	}
	if strings.Contains(e.text, "~~") {
		r.at("W-REFERENCE", Warning, ref, e.text, "take it out of the list",
			"%q is struck out, and phase %s does not wait for it", clip(e.text),
			r.phases[self].Label)
		return false
	}
	if out, excepts := r.exceptions(self, ref, &e); excepts {
		rel.said = true
		rel.except = append(rel.except, out...)
		if e.text != "" || e.notes != "" {
			r.entry(self, ref, e, verb, rel)
		}
		_, all := CutWord("all", e.text)
		return all
	}
	if r.every(self, e, rel) || r.besides(ref, &e, rel) {
		return false
	}
	r.short = true
	s := r.scan(e.text, true)
	r.short = false
	if kind, _ := SplitKind(e.notes); len(s.hits) == 0 && s.unknown == "" && kind != "" {
		s = r.scan(e.notes, false) // "the backend (Phase 2)"
	}
	if soft, _ := FindWord("soft", strings.ToLower(e.text)); soft >= 0 && len(s.hits) > 0 {
		rel.said = true
		rel.soft = append(rel.soft, s.hits...)
		return false
	}
	r.doubts(self, ref, e, s, verb, rel)
	if len(s.hits) == 0 {
		return false
	}
	rel.said = true
	if s.several {
		s.hits = without(s.hits, self)
	}
	r.expanded += len(s.hits)
	rel.hard = append(rel.hard, s.hits...)
	r.notes(self, ref, e, rel)
	return false
}

// besides cuts what an entry says of phases beside it off: "2, in parallel with 3". It reports
// whether nothing is left.
func (r *resolver) besides(ref Ref, e *listEntry, rel *relation) bool {
	lower := strings.ToLower(e.text)
	at, _ := FindWord("beside", lower)
	if at < 0 || len(lower) != len(e.text) || len(r.mentions(e.text[at:])) == 0 {
		return false
	}
	r.at("I-NOTE", Info, ref, e.text, "", "%q leaves the order open", clip(e.text))
	e.text = strings.TrimSpace(e.text[:at])
	rel.said = rel.said || e.text == ""
	return e.text == ""
}

// doubts reports what is doubtful about the references of an entry.
func (r *resolver) doubts(
	self int, ref Ref, e listEntry, s scanned, verb string, rel *relation,
) {
	switch {
	case s.ambiguous != nil:
		labels := make([]string, len(s.ambiguous))
		for k, i := range s.ambiguous {
			labels[k] = r.phases[i].Label
		}
		r.at("E-AMBIGUOUS", Error, ref, e.text, "write the full id",
			"phase %s %s %q, which can be %s", r.phases[self].Label, verb, clip(e.text),
			orList(labels))
	case s.unknown != "":
		r.unknown(self, ref, s, verb, rel)
	case len(s.hits) == 0:
		r.unresolved(self, ref, e.text, rel)
	case s.doubt != "":
		r.at("W-REFERENCE", Warning, ref, e.text, "write it as the phases are called",
			"%q is read as phase %s", clip(s.doubt), r.phases[s.hits[0]].Label)
	}
	if e.or && len(s.hits) > 0 {
		r.at("W-REFERENCE", Warning, ref, e.text, "list the phases that have to be complete",
			"%q gives a choice, and all of its phases are waited for", clip(ref.Text))
	}
	for _, i := range s.left {
		r.at("W-RANGE", Warning, ref, e.text, "list them if they are meant",
			"the range %q leaves out %s", clip(e.text), r.phases[i].Label)
	}
}

func clip(s string) string { return text.Clip(s, maxQuoted) }

// notes reads the remarks in brackets behind an entry. A phase that they name and the list does not
// is a preference where they say so or limit it to a part, and else a remark to look at.
func (r *resolver) notes(self int, ref Ref, e listEntry, rel *relation) {
	if e.notes == "" {
		return
	}
	hits := slices.DeleteFunc(r.mentions(e.notes), func(i int) bool {
		return i == self || slices.Contains(rel.hard, i)
	})
	lower := strings.ToLower(e.notes)
	soft, _ := FindWord("soft", lower)
	bare := r.scan(strings.SplitN(e.notes, " ", 2)[0], true).hits // "(3 for the export)"
	switch {
	case soft >= 0 && len(r.mentions(e.notes)) == 0:
		r.at("W-REFERENCE", Warning, ref, e.text, "take it out of the list, or take the note off",
			"%q is only a preference by its note, and phase %s waits for it",
			clip(e.text+" ("+e.notes+")"), r.phases[self].Label)
	case soft >= 0:
		rel.soft = append(rel.soft, hits...)
	case strings.Contains(lower, " for ") && len(bare) == 1 && bare[0] != self:
		rel.soft = append(rel.soft, bare...)
	case len(hits) > 0:
		r.at("W-REFERENCE", Warning, ref, e.notes, "name it in the list itself if it has to come first",
			"%q names phase %s in brackets: phase %s does not wait for it",
			clip(ref.Text), r.phases[hits[0]].Label, r.phases[self].Label)
	}
}

// exceptions cuts what an entry rules out off it: "all except 2", "1-3 (without 2)".
func (r *resolver) exceptions(self int, ref Ref, e *listEntry) (out []int, found bool) {
	for _, part := range []*string{&e.text, &e.notes} {
		lower := strings.ToLower(*part)
		at, size := FindWord("except", lower)
		if at < 0 || len(lower) != len(*part) || part == &e.notes && at > 0 {
			continue
		}
		list := (*part)[at+size:]
		*part = strings.TrimSpace((*part)[:at])
		s := r.scan(list, true)
		if out = append(out, s.hits...); len(s.hits) == 0 && part == &e.text {
			r.at("E-UNKNOWN", Error, ref, strings.TrimSpace(list), r.suggest(list),
				"phase %s rules out %q, which is no phase", r.phases[self].Label,
				clip(strings.TrimSpace(list)))
		}
		found = true
	}
	return out, found
}

// every reads an entry that means all phases, all before, or the phase before.
func (r *resolver) every(self int, e listEntry, rel *relation) bool {
	rest, all := CutWord("all", e.text)
	if all && (strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "_")) {
		return false
	}
	prior, remainder := r.onlyPrior(rest)
	if !all {
		if prior, remainder = r.onlyPrior(e.text); !prior || remainder != "" {
			return false
		}
		rel.said = true
		if self > 0 {
			rel.hard = append(rel.hard, self-1)
		}
		return true
	}
	if hits := r.scan(e.notes, true).hits; len(hits) > 0 && strings.ContainsAny(e.notes, "0123456789") {
		rel.said = true
		rel.hard = append(rel.hard, without(hits, self)...)
		return true
	}
	if remainder != "" {
		if hits := r.scan(remainder, false).hits; len(hits) > 0 {
			return false // "all Phase 1 tasks"
		}
	}
	for word := range strings.FieldsSeq(rest) { // "all user stories", where phases have such a name
		kind, _ := SplitKind(trimmed(word) + " 1")
		if hits := r.members[kind]; kind != "" && !r.kinds[kind] && hits != nil {
			rel.said, rel.hard = true, append(rel.hard, without(hits, self)...)
			return true
		}
	}
	rel.said = true
	if prior {
		for i := range self {
			rel.hard = append(rel.hard, i)
		}
		r.expanded += self
		return true
	}
	rel.all = true
	return true
}

// onlyPrior reports whether a text says "previous", and what it says beside that and kind words.
func (r *resolver) onlyPrior(s string) (prior bool, rest string) {
	for word := range strings.FieldsSeq(strings.ToLower(s)) {
		word = strings.Trim(word, ".:,")
		switch {
		case IsWord("prior", word):
			prior = true
		case IsKind(word), IsWord("filler", word), IsWord("all", word):
		default:
			after, cut := CutWord("prior", word)
			if prior = prior || cut; !cut || after != "" && !IsKind(strings.TrimPrefix(after, "的")) {
				rest += " " + word
			}
		}
	}
	return prior, strings.TrimSpace(rest)
}

// scanned holds the phases that the words of an entry name.
type scanned struct {
	hits, left []int
	several    bool // a range or a group
	ambiguous  []int
	unknown    string // a reference that names no phase
	kinded     bool   // a kind word stands before it
	doubt      string // a reference whose words say something else as well
}

// trimmed is a word without the punctuation around it.
// An elided article goes, too: "étape" of "l'étape".
func trimmed(word string) string {
	word = strings.Trim(word, "`\"'*_.,;:!?()[]{}")
	for _, article := range []string{"l'", "l’", "d'", "d’", "dell'", "dall'"} {
		if rest, found := cutFold(word, article); found && rest != "" {
			return rest
		}
	}
	return word
}

// scan reads the references in a text. A whole entry may be a name.
func (r *resolver) scan(entry string, whole bool) (s scanned) {
	words := strings.Fields(entry)
	begins := true // nothing but fillers so far
	for i := 0; i < len(words); {
		if end := r.reference(words, i, begins, &s); end > i {
			if s.ambiguous != nil {
				return s
			}
			i, begins = end, false
			continue
		}
		if s.unknown == "" {
			s.unknown, s.kinded = r.unknownAt(words, i, begins)
		}
		begins = begins && isFiller(trimmed(words[i]))
		i++
	}
	if len(s.hits) == 0 && whole {
		if hits := r.calledBy(entry); len(hits) == 1 {
			s.hits, s.unknown = hits, ""
		}
	}
	return s
}

// reference reads the longest reference that begins at word i, and returns where it ends.
func (r *resolver) reference(words []string, i int, begins bool, s *scanned) (end int) {
	const longest = 6 // words of a reference
	for j := min(len(words), i+longest); j > i; j-- {
		phrase := trimmed(strings.Join(words[i:j], " "))
		if strings.HasSuffix(words[j-1], "+") {
			phrase = strings.TrimRight(phrase, "+") + "+"
		}
		if phrase == "" || !r.certain(phrase, words, j, begins) {
			continue
		}
		m := r.exactly(phrase)
		if len(m.hits) == 0 {
			continue
		}
		if m.ambiguous {
			s.ambiguous = m.hits
			return j
		}
		s.hits, s.left = append(s.hits, m.hits...), append(s.left, m.left...)
		s.several = s.several || m.several
		kind, core := SplitKind(phrase)
		amount := kind == "" && j < len(words) && plainWord(words[j])
		foreign := kind != "" && !r.kinds[kind] && !r.kinds[""] && len(r.kinds) > 0 &&
			!m.several && len(r.groups[kind+" "+unpad(core)]) == 0
		if bareNumber(core) && (amount || foreign) {
			s.doubt = strings.Join(words[i:min(j+1, len(words))], " ")
		}
		return j
	}
	return i
}

// calledBy lists the phases of a name, which words that say nothing may surround: "the Backend phase".
func (r *resolver) calledBy(entry string) []int {
	words := strings.Fields(entry)
	for len(words) > 1 && isFiller(trimmed(words[0])) {
		words = words[1:]
	}
	for len(words) > 1 && isFiller(trimmed(words[len(words)-1])) {
		words = words[:len(words)-1]
	}
	if len(words) == 0 || len(words) > 20 {
		return nil
	}
	name := calling(trimmed(strings.Join(words, " ")))
	hits := r.called[name]
	first, _, _ := strings.Cut(name, " ")
	if len(hits) == 0 && len(name) > 3 { // "Polish" of "Polish & Cross-Cutting Concerns"
		for _, i := range r.begun[first] {
			if strings.HasPrefix(calling(r.phases[i].Name), name+" ") {
				hits = append(hits, i)
			}
		}
	}
	return hits
}

// isFiller reports whether a word says nothing of its own beside a reference.
func isFiller(word string) bool {
	return IsWord("filler", word) || IsWord("soft", word) || IsKind(word) || IsWord("and", word) ||
		IsWord("or", word)
}

// plainWord reports whether a word is an ordinary one in lower case, which makes a quantity of the
// number before it: "2 services".
func plainWord(word string) bool {
	first := firstOf(word)
	return unicode.IsLower(first) && !IsWord("filler", trimmed(word)) && !IsKind(trimmed(word)) &&
		!IsWord("status done", trimmed(word))
}

// certain reports whether a phrase that ends before word j can be a reference: a kind word with an ordinal,
// a code, or, before all other words, a number or a letter.
func (r *resolver) certain(phrase string, words []string, j int, begins bool) bool {
	kind, core := SplitKind(phrase)
	if kind != "" {
		return !r.strict || r.kinds[kind] || r.members[kind] != nil
	}
	if strings.Contains(core, " ") {
		to, _ := FindWord("to", strings.ToLower(core))
		return begins && (to > 0 || strings.ContainsAny(core, "-–—~") || strings.ContainsAny(core[:1], "0123456789"))
	}
	hasDigit := strings.ContainsAny(core, "0123456789") || strings.ContainsFunc(core, numeral)
	number := bareNumber(core)
	switch {
	case number:
		return begins && (j == len(words) || !quantity(words[j]))
	case hasDigit:
		return !digit(core[0]) || j == len(words) || !quantity(words[j])
	case len(core) == 1:
		return begins && (j == len(words) || !plainWord(words[j])) && core[0] >= 'A' && core[0] <= 'Z'
	}
	return begins && j == len(words)
}

// quantity reports whether a word makes an amount of the number before it: "2 weeks".
func quantity(word string) bool {
	word = strings.ToLower(trimmed(word))
	if kind, _ := SplitKind(word + " 1"); kind == "week" || kind == "day" {
		return true
	}
	switch strings.TrimSuffix(word, "s") {
	case "week", "day", "hour", "h", "hr", "min", "minute", "month", "year", "sprint", "point",
		"%", "mb", "gb", "x", "time":
		return true
	}
	return false
}

func bareNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// match holds the phases that a phrase names.
type match struct {
	hits, left []int
	several    bool // a range or a group
	ambiguous  bool // one of the hits is meant
}

// exactly reads a phrase that is nothing but an id, a range, a group, or ids joined by slashes.
func (r *resolver) exactly(phrase string) match {
	if strings.HasSuffix(phrase, "+") {
		if hits, left, ok := r.span(phrase); ok {
			return match{hits: hits, left: left, several: true}
		}
	}
	kind, core := SplitKind(phrase)
	if r.context != "" && kind == "" { // "epics 1, 2"
		if group := r.groups[r.context+" "+unpad(strings.ToLower(core))]; group != nil {
			return match{hits: group, several: true}
		}
	}
	if hits, ambiguous := r.find(phrase); len(hits) > 0 {
		if kind != "" {
			if r.context = ""; len(hits) > 1 {
				r.context = kind
			}
		}
		return match{hits: hits, several: len(hits) > 1 && !ambiguous, ambiguous: ambiguous}
	}
	if hits, left, ok := r.span(phrase); ok {
		return match{hits: hits, left: left, several: true}
	}
	if whole, found := strings.CutSuffix(strings.ToLower(phrase), ".x"); found {
		return match{hits: r.partsOf(whole), several: true}
	}
	var hits []int
	for part := range strings.SplitSeq(phrase, "/") {
		one, double := r.find(part)
		if len(one) != 1 || double {
			return match{}
		}
		hits = append(hits, one[0])
	}
	return match{hits: hits, several: len(hits) > 1}
}

// partsOf lists the phases whose ids begin with an id and a dot.
func (r *resolver) partsOf(label string) (hits []int) {
	id, err := NormalID(label)
	for i := range r.phases {
		if err == nil && strings.HasPrefix(r.phases[i].ID, id+".") {
			hits = append(hits, i)
		}
	}
	return hits
}

// unknownAt is the reference to no phase at word i, empty when none stands there: an ordinal behind
// a kind word, a code of the form of the phases' ids, or, before all other words, a number.
func (r *resolver) unknownAt(words []string, i int, begins bool) (label string, kinded bool) {
	word := trimmed(words[i])
	if i+1 < len(words) && IsKind(word) {
		if next := trimmed(words[i+1]); ordinal(next) && (firstOf(next) < 'a' || strings.ContainsAny(next, "0123456789")) {
			return word + " " + next, true
		}
	}
	if kind, core := SplitKind(word); kind != "" && ordinal(core) {
		return word, true // "第9阶段"
	}
	if i > 0 && IsKind(trimmed(words[i-1])) || word == "" || strings.ContainsAny(word, "/\\@=<>$") {
		return "", false
	}
	switch {
	case bareNumber(word):
		if begins && (i+1 == len(words) || !quantity(words[i+1]) && !plainWord(words[i+1])) {
			return word, false
		}
	case len(words) == 1 && len(word) <= 2 && strings.ToUpper(word) == word &&
		letter(word[0]) && r.families[""]:
		return word, false
	case strings.ContainsAny(word, "0123456789") && ordinal(word):
		id, err := NormalID(word)
		if err == nil && (begins || r.families[family(id)]) && strings.ToLower(word[:1]) != "v" {
			return word, false
		}
	}
	return "", false
}

// unknown reports a reference to no phase: an error, unless its family is one of another document.
func (r *resolver) unknown(self int, ref Ref, s scanned, verb string, rel *relation) {
	kind, core := SplitKind(s.unknown)
	id, err := NormalID(core)
	own := r.families[family(id)] && (kind == "" || r.kinds[kind] || r.kinds[""] || len(r.groups[kind+" 1"]) > 0)
	if _, shared := r.tasks[id]; shared {
		r.at("W-REFERENCE", Warning, ref, s.unknown, "name the phase",
			"%q is a task of several phases, and phase %s does not wait for it", s.unknown, r.phases[self].Label)
		return
	}
	if ref.Weak && !s.kinded && (bareNumber(s.unknown) || !r.families[family(id)] && !r.coded(id)) {
		return // "Node 20"
	}
	if err != nil || !own || len(r.phases) == 1 {
		rel.said = true
		rel.outside = append(rel.outside, s.unknown)
		r.at("W-REFERENCE", Warning, ref, s.unknown, "check that it is complete before the run",
			"%q is no phase of this plan, and phase %s does not wait for it",
			clip(s.unknown), r.phases[self].Label)
		return
	}
	r.at("E-UNKNOWN", Error, ref, s.unknown, r.suggest(core),
		"phase %s %s unknown phase %s", r.phases[self].Label, verb, clip(core))
}

// coded reports whether an id begins with the letters that ids of phases begin with.
func (r *resolver) coded(id string) bool {
	letters := id[:len(id)-len(strings.TrimLeft(id, "abcdefghijklmnopqrstuvwxyz"))]
	if letters == "" {
		return false
	}
	for f := range r.families {
		if strings.HasPrefix(f, letters) {
			return true
		}
	}
	return false
}

// unresolved reports an entry without a reference. It is a remark, unless it holds a number, is
// almost a name, or is all that a list says.
func (r *resolver) unresolved(self int, ref Ref, entry string, rel *relation) {
	if ref.Weak && !r.nearKind(entry) {
		return
	}
	severity, code := Info, "I-NOTE"
	near := r.suggest(entry)
	if strings.ContainsAny(entry, "0123456789") || near != nameOne || !rel.said {
		severity, code = Warning, "W-REFERENCE"
	}
	r.at(code, severity, ref, entry, near, "%q names no phase, and phase %s does not wait for it",
		clip(entry), r.phases[self].Label)
}

// nearKind reports whether an entry begins with an almost known kind word and an ordinal: "Phse 2".
func (r *resolver) nearKind(entry string) bool {
	word, rest, _ := strings.Cut(entry, " ")
	return ordinal(rest) && NearKind(word, misspelt) != ""
}

// misspelt reports whether a word is another one with one or two letters wrong.
func misspelt(a, b string) bool {
	most := 1
	if len(b) > 6 {
		most = 2
	}
	return a != b && text.Distance(a, b, most+1) <= most || text.Misspelt(a, b)
}

// nameOne is the advice when no phase of the plan resembles an unknown one.
const nameOne = "name a phase of this plan, or \"none\""

// suggest is the advice for a reference that names no phase.
func (r *resolver) suggest(core string) string {
	if bareNumber(core) {
		return nameOne
	}
	var best []string
	least := len(core)/2 + 1
	lower := strings.ToLower(core)
	const most = 2000 // phases that are compared
	for i := range r.phases[:min(len(r.phases), most)] {
		p := &r.phases[i]
		for _, known := range []string{p.Label, p.Name} {
			if known == "" || len(known) > 2*len(core)+2 {
				continue
			}
			d := text.Distance(lower, strings.ToLower(known), least+1)
			if d < least {
				best, least = nil, d
			}
			if d == least && d <= len(core)/2 && !slices.Contains(best, p.Label) {
				best = append(best, p.Label)
			}
		}
	}
	if len(best) == 0 {
		return nameOne
	}
	return "did you mean " + orList(best) + "?"
}

// orList is "1", "1 or 2", "1, 2, 3 or others".
func orList(labels []string) string {
	const most = 4
	if len(labels) > most {
		labels = append(slices.Clone(labels[:most-1]), "others")
	}
	if len(labels) == 1 {
		return labels[0]
	}
	return strings.Join(labels[:len(labels)-1], ", ") + " or " + labels[len(labels)-1]
}

// mentions lists the phases that a text names, as a list or within a sentence.
func (r *resolver) mentions(s string) []int {
	var hits []int
	for _, e := range splitList(narrow(s)) {
		hits = slices.Concat(hits, r.scan(e.text, false).hits, r.scan(e.notes, false).hits)
	}
	return unique(hits)
}

// unique sorts positions and drops repeated ones.
func unique(list []int) []int {
	slices.Sort(list)
	return slices.Compact(list)
}

// without is a list without one position.
func without(list []int, i int) []int {
	return slices.DeleteFunc(slices.Clone(list), func(k int) bool { return k == i })
}
