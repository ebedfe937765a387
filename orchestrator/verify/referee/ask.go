package referee

import (
	"path"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/orchestrator/verify/testunit"
	"autobuild/state"
)

// request is the changes that a section asks for, sentence by sentence. Sentences that forbid a
// change ask for nothing.
type request struct {
	files   []string               // patterns of the files that the phase declares
	program func(path string) bool // see Map.Program
	general vocabulary
	rare    func(stem string) bool // the word is specific to few tests
	gone    map[string]bool        // squashed names that the product no longer declares
	// squashed names declared in changed product files; quoted in the plan, each counts as specific
	declared  map[string]bool
	sentences []sentence
}

type sentence struct {
	text string
	// squashed names in the spelling of code, quoted ones, and words that stand together
	names    map[string]bool
	words    map[string]bool // stems of single words that are not general
	numbers  map[string]bool
	literals []string // quoted
	removes  bool     // remove, rename, replace, move, delete, drop
	reverts  bool     // revert, undo
	moves    bool     // nothing but rename, move, split: the texts stay the same
	changes  bool     // these, or add, change, update, …
}

var (
	sentenceEnd = lazyregexp.New(`[.!?:;]+(?:\s+|$)|\n+|, (?:but|and do not|and never) `)
	removal     = lazyregexp.New(
		`(?i)\b(?:remov(?:e[sd]?|ing|als?)|renam(?:e[sd]?|ing)|replac(?:e[sd]?|ing|ements?)|` +
			`mov(?:e[sd]?|ing)|delet(?:e[sd]?|ing|ions?)|drop(?:s|ped|ping)?|retir(?:e[sd]?|ing)|obsolete|merg(?:e[sd]?|ing)|` +
			`combin(?:e[sd]?|ing)|consolidat(?:e[sd]?|ing)|split(?:s|ting)?|skip(?:s|ped|ping)?|disabl(?:e[sd]?|ing))\b`)
	changing = lazyregexp.New(
		`(?i)\b(?:add(?:s|ed|ing)?|creat(?:e[sd]?|ing)|writ(?:e[s]?|ing)|introduc(?:e[sd]?|ing)|` +
			`chang(?:e[sd]?|ing)|updat(?:e[sd]?|ing)|edit(?:s|ed|ing)?|modif(?:y|ies|ied|ying)|set(?:s|ting)?|rais(?:e[sd]?|ing)|` +
			`lower(?:s|ed|ing)?|increas(?:e[sd]?|ing)|decreas(?:e[sd]?|ing)|reduc(?:e[sd]?|ing)|bump(?:s|ed|ing)?|upgrad(?:e[sd]?|ing)|` +
			`switch(?:es|ed|ing)?|migrat(?:e[sd]?|ing)|configur(?:e[sd]?|ing)|disabl(?:e[sd]?|ing)|enabl(?:e[sd]?|ing)|` +
			`regenerat(?:e[sd]?|ing)|convert(?:s|ed|ing)?|port(?:s|ed|ing)?|translat(?:e[sd]?|ing)|refresh(?:es|ed|ing)?|rewrit(?:e[s]?|ing)|relax(?:es|ed|ing)?|extend(?:s|ed|ing)?|` +
			`adjust(?:s|ed|ing)?|adapt(?:s|ed|ing)?|turn(?:s|ed|ing)? (?:on|off)|us(?:e[sd]?|ing)|skip(?:s|ped|ping)?)\b`)
	// keeping says of a whole sentence that nothing that can be seen changes.
	wholeLine = lazyregexp.New(`[^.!?\n]+(?:[.!?](?:\S[^.!?\n]*)?)*`)
	keeping   = lazyregexp.New(
		`(?i)\b(?:keeps?|stays?|remains?|returns?|behaves?|left|kept)\b[^;,]*\b(?:the same|as before|unchanged|identical(?:ly)?)\b|\bno (?:change of|changes? in|other) behaviou?r\b`)
	reverting = lazyregexp.New(`(?i)\b(?:revert(?:s|ed|ing)?|undo(?:es|ing)?|back(?:s|ed|ing)? out|roll(?:s|ed|ing)? back)\b`)
	ofTests   = lazyregexp.New(`(?i)\b(?:tests?|specs?)\b`)
	moving    = lazyregexp.New(
		`(?i)\b(?:renam|mov|split|extract|merg|combin|consolidat)(?:e[sd]?|s|ed|ing|ting)?\b`)
	forbidding = lazyregexp.New(
		`(?i)\b(?:not|n't|never|without|no|nor|neither|cannot|avoid|instead of)\s+(?:\w+\s+){0,3}?` +
			`(?:remov|renam|replac|mov(?:e|ing)|delet|drop|chang|updat|edit|modif|touch|skip|disabl|weaken|alter|rewrit|adjust|` +
			`lower|relax|regenerat|break)\w*|n't (?:remov|renam|replac|mov|delet|drop|chang|updat|edit|modif|touch|skip|disabl)\w*|` +
			`\b(?:keep|leave|stays?|remains?|left|kept)\b.*\b(?:as (?:it|they) (?:is|are|was|were)|alone|unchanged|untouched|intact|as-is|` +
			`green|passing|working|in place)\b`)
)

// newRequest reads a section. tests are the units among which a word has to be rare to name one of
// them.
func newRequest(s Section, tests []testunit.Unit, product []Edit) *request {
	text := s.Text
	r := &request{
		files: s.Files, general: newVocabulary(generalWords), rare: rarity(tests),
		gone: map[string]bool{}, declared: map[string]bool{},
	}
	for name := range goneNames(nil, product) {
		r.gone[squash(subwords(name))], r.declared[squash(subwords(name))] = true, true
	}
	for _, e := range product {
		for _, match := range declared.FindAllStringSubmatch(e.Old, -1) {
			r.declared[squash(subwords(match[1]))] = true
		}
	}
	text = wholeLine.ReplaceAllStringFunc(text, func(line string) string {
		if keeping.MatchString(line) {
			return "" // its changes concern something that stays the same
		}
		return line
	})
	at := 0
	for _, m := range append(sentenceEnd.FindAllStringIndex(text, -1),
		[]int{len(text), len(text)}) {
		if part := strings.TrimSpace(text[at:m[0]]); part != "" && !forbidding.MatchString(part) {
			r.sentences = append(r.sentences, r.sentence(part))
		}
		at = m[1]
	}
	return r
}

// most is the share of tests in which a single word may occur and still name one of them; few are
// always allowed.
const (
	mostShare = 20 // one of so many
	fewTests  = 3
)

// rarity counts in how many tests each word occurs.
func rarity(tests []testunit.Unit) func(string) bool {
	count := map[string]int{}
	total := 0
	for _, u := range tests {
		if u.Shared {
			continue
		}
		total++
		for word := range stemsOf(append(u.Lines[:len(u.Lines):len(u.Lines)], u.Name)) {
			count[word]++
		}
	}
	return func(word string) bool { return count[word] <= max(fewTests, total/mostShare) }
}

func stemsOf(lines []string) map[string]bool {
	stems := map[string]bool{}
	for _, line := range lines {
		for _, word := range wordLike.FindAllString(line, -1) {
			for _, part := range subwords(word) {
				stems[stem(part)] = true
			}
		}
	}
	return stems
}

const longestName = 4 // words that stand together and are one name

// signature is a name with what stands in brackets behind it.
var (
	signature = lazyregexp.New(`([\pL\pN_$])\(([^()\n]*)\)`)
	argument  = lazyregexp.New(`"[^"\n]*"|'[^'\n]*'|-?\d[\d._]*`)
)

// withoutParameters keeps of a call its values: parameters are named alike in many functions, and
// say nothing of any test.
func withoutParameters(call string) string {
	m := signature.FindStringSubmatch(call)
	return m[1] + " " + strings.Join(argument.FindAllString(m[2], -1), " ") + " "
}

func (r *request) sentence(text string) sentence {
	text = signature.ReplaceAllStringFunc(text, withoutParameters)
	s := sentence{
		text: text, names: map[string]bool{}, words: map[string]bool{}, numbers: map[string]bool{},
		removes: removal.MatchString(text), reverts: reverting.MatchString(text),
	}
	s.changes = s.removes || changing.MatchString(text)
	s.moves = moving.MatchString(text) && !changing.MatchString(text) &&
		!removal.MatchString(moving.ReplaceAllString(text, ""))
	for _, m := range quoted.FindAllStringSubmatch(text, -1) {
		literal := m[1] + m[2] + m[3]
		s.literals = append(s.literals, literal)
		words := subwords(literal)
		known := r.declared[squash(words)] || !r.allGeneral(words)
		if known && len(words) > 0 && !strings.Contains(literal, "/") &&
			!fileName.MatchString(literal) && len(words) <= 2*longestName {
			s.names[squash(words)] = true
		}
	}
	for i, plain := 0, r.plainWords(&s); i < len(plain); i++ {
		if root := stem(plain[i]); len(plain[i]) > 3 && !r.general[root] && !telling(plain[i]) {
			s.words[root] = true
		}
		for n := 2; n <= longestName && i+n <= len(plain); n++ {
			if words := plain[i : i+n]; !r.allGeneral(words) {
				s.names[squash(words)] = true
			}
		}
	}
	return s
}

// plainWords are the words of a sentence in order, without file names. Numbers and code names go
// to the sentence.
func (r *request) plainWords(s *sentence) []string {
	var plain []string
	for _, word := range wordLike.FindAllString(s.text, -1) {
		if strings.Contains(word, "/") || fileName.MatchString(word) {
			// a file asks for additions and adaptations; its name is not a term of the sentence
			plain = append(plain, "")
			continue
		}
		if telling(word) {
			s.numbers[word] = true
		}
		if spelled(word) {
			r.spelledNames(s, word)
		}
		if word == "s" && len(plain) > 0 {
			continue // of a genitive
		}
		plain = append(plain, subwords(word)...)
	}
	return plain
}

// spelledNames notes a word in the spelling of code: whole, and by its parts.
func (r *request) spelledNames(s *sentence, word string) {
	parts := strings.FieldsFunc(word, func(c rune) bool { return strings.ContainsRune("./:", c) })
	for _, part := range append(parts, word, path.Base(word)) {
		words := subwords(part)
		if len(words) > 1 || len(words) == 1 && !r.general[stem(words[0])] && !r.allGeneral(words) {
			s.names[squash(words)] = true
		}
	}
}

func (r *request) allGeneral(words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool {
		return len(word) > 2 && !r.general[stem(word)]
	})
}

// common is something specific of a sentence that stands in a test too; empty: nothing.
func (s sentence) common(e evidence) string {
	for _, name := range e.names {
		if s.names[name] {
			return name
		}
	}
	for _, n := range e.nums {
		if s.numbers[n] {
			return n
		}
	}
	for _, literal := range s.literals {
		if len(literal) > 3 && strings.ContainsAny(literal, " =<>{}[]%-") &&
			strings.Contains(e.text, literal) {
			return literal
		}
	}
	for _, word := range e.words {
		if s.words[word] || s.names[word] {
			return word
		}
	}
	return ""
}

// specific is the first sentence that has something specific in common with the lines.
func (r *request) specific(lines []string) (sentence, bool) {
	e := r.evidence(lines)
	for _, s := range r.sentences {
		if s.common(e) != "" {
			return s, true
		}
	}
	return sentence{}, false
}

// namesTest reports whether a sentence names a test by its whole name.
func (s sentence) namesTest(name string) bool {
	if at := strings.LastIndex(name, testunit.Separator); at >= 0 {
		name = name[at+len(testunit.Separator):]
	}
	words := subwords(name)
	if len(words) < 2 {
		return len(words) == 1 && spelled(name) && s.names[squash(words)]
	}
	if len(words) <= longestName && s.names[squash(words)] {
		return true
	}
	squashed := strings.Join(words, "")
	return slices.ContainsFunc(wordLike.FindAllString(s.text, -1), func(word string) bool {
		return strings.Join(subwords(word), "") == squashed
	}) || slices.Contains(s.literals, name)
}

// namesFile reports whether a sentence names a file by its path, or by a base name that is no
// common word.
func (s sentence) namesFile(file string) bool {
	for _, word := range append(wordLike.FindAllString(s.text, -1), s.literals...) {
		word = strings.TrimPrefix(word, "./")
		if word == file || word == path.Base(file) || strings.Contains(word, "/") &&
			strings.HasSuffix(file, "/"+word) {
			return true
		}
	}
	return false
}

// namesDir reports whether a sentence names a directory that holds the file, with its slash.
func (s sentence) namesDir(file string) bool {
	return slices.ContainsFunc(strings.Fields(s.text), func(word string) bool {
		word = strings.TrimPrefix(strings.Trim(word, "`'\"(),;"), "./")
		return strings.HasSuffix(word, "/") && len(word) > 1 && strings.HasPrefix(file, word)
	})
}

// namesFolder reports whether a sentence names the package that a file is the test of: the folder
// that it lies in, unless that is a general word.
func (s sentence) namesFolder(r *request, file string) bool {
	folder := path.Base(path.Dir(file))
	words := subwords(folder)
	switch {
	case len(words) == 0 || besideTests.MatchString(file):
		return false
	case slices.Contains(s.literals, folder):
		return true
	case r.allGeneral(words):
		return false
	}
	return s.names[squash(words)] || len(words) == 1 && s.words[stem(words[0])]
}

// asked is the sentence that asks for a change; false where none does.
func (r *request) asked(c state.RefereeChange, p pair, edit Edit) (string, bool) {
	switch c.Cause {
	case state.CauseAlone:
		return "", false // no sentence can ask for product code that works with its own tests alone
	case state.CauseGate, state.CauseLever:
		return r.askedGate(c, edit)
	case state.CauseRemoved, state.CauseSkipped, state.CauseEmptied, state.CauseUnseen:
		return r.askedRemoval(c, p)
	}
	gone, _ := testunit.Changed(p.base.Lines, p.lines())
	if s, ok := r.specificChange(c, p, gone); ok {
		return s.text, true
	}
	if c.Test == "" {
		same := p.work != nil && sameAssertions(p.base, *p.work)
		for _, s := range r.sentences {
			if p.base.Shared && s.changes && s.namesFile(c.File) || same && s.namesDir(c.File) {
				return s.text, true
			}
		}
	}
	return r.askedName(c.Test)
}

// specificChange is the sentence that shares something specific with the removed lines or with a
// new value. Identifiers in added lines do not count: the agent chose them. Numbers on both sides
// do not count, and neither do sentences that only rename or move.
func (r *request) specificChange(c state.RefereeChange, p pair, gone []string) (sentence, bool) {
	e := r.evidence(gone)
	if p.work != nil {
		added := testunit.Missing(p.work.Lines, p.base.Lines)
		now := r.evidence(added)
		e.nums = append(testunit.Missing(e.nums, now.nums), testunit.Missing(now.nums, e.nums)...)
		e.text += "\n" + strings.Join(added, "\n")
		// a fixture or a snapshot: all of it is expectation
		if p.base.Shared && len(p.base.Values) == 0 {
			e.names, e.words = append(e.names, now.names...), append(e.words, now.words...)
		}
	}
	for _, s := range r.sentences {
		if (c.Cause != state.CauseValue || !s.moves) && s.common(e) != "" {
			return s, true
		}
	}
	return sentence{}, false
}

func (p pair) lines() []string {
	if p.work == nil {
		return nil
	}
	return p.work.Lines
}

func (r *request) askedName(test string) (string, bool) {
	for _, s := range r.sentences {
		if test != "" && s.changes && s.namesTest(test) {
			return s.text, true
		}
	}
	return "", false
}

// askedRemoval finds a sentence with a verb of removal and the test's name, its file, or an
// identifier of its body that the product no longer declares. A sentence with a verb of reverting
// needs no name if the body has such an identifier. A name without a verb is not enough.
func (r *request) askedRemoval(c state.RefereeChange, p pair) (string, bool) {
	used := slices.DeleteFunc(r.identifiers(p.base),
		func(name string) bool { return !r.gone[name] })
	for _, s := range r.sentences {
		switch {
		case s.reverts && len(used) > 0:
			return s.text, true
		case !s.removes:
		case c.Test != "" && (s.namesTest(c.Test) || s.namesTest(p.base.Name)):
			return s.text, true
		case s.namesFile(c.File), s.namesFile(p.base.File), s.namesFolder(r, p.base.File),
			(!s.moves || ofTests.MatchString(s.text)) && slices.ContainsFunc(used, s.namesWhole):
			return s.text, true
		}
	}
	return "", false
}

// identifiers are the names that a test's code uses and that are informative; quoted text has none.
func (r *request) identifiers(u testunit.Unit) []string {
	var names []string
	for _, line := range u.Lines {
		for _, word := range wordLike.FindAllString(inQuotes.ReplaceAllString(line, `""`), -1) {
			for part := range strings.FieldsFuncSeq(word,
				func(c rune) bool { return strings.ContainsRune("./:", c) }) {
				words := subwords(part)
				if known := r.gone[squash(words)]; !known &&
					(r.allGeneral(words) || len(words) == 1 && !r.rare(stem(words[0]))) {
					continue
				}
				names = append(names, squash(words))
			}
		}
	}
	return names
}

// namesWhole reports whether the sentence has an identifier in some spelling.
func (s sentence) namesWhole(name string) bool { return s.names[name] || s.words[name] }
