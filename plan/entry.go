package plan

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// entry is what one entry of a list of dependencies says. Every word of the entry ends in one of
// its fields, or has no meaning of its own.
type entry struct {
	hits      []int // the phases to wait for
	several   bool  // they are a range or a list, and no ambiguity
	ambiguous bool  // one word may name each of them

	denied []int // not waited for: "not 2"
	later  []int // wait for the phase itself: "blocks 6"
	beside []int // may run at the same time
	aside  []int // only to be read: "see phase 4"

	remark   string // words behind the phases that order nothing
	doubt    string // a word that makes the entry depend on something else, or that is not read
	quantity string // "2 weeks"
	unsure   string // "2 widgets": phase 2, or a number of widgets
	apart    bool   // the entry is about what runs at the same time
	led      bool   // words without an order precede the phases
	phrase   string // the last that names phases
}

// namesPhase reports whether an entry names a phase in any way.
func (e *entry) namesPhase() bool {
	return len(e.hits)+len(e.denied)+len(e.later)+len(e.beside)+len(e.aside) > 0
}

// reader reads one entry word by word.
type reader struct {
	*resolver
	entry
	words []string
	to    *[]int // where the next phase goes
	kind  bool   // a kind word stands before
	prose bool   // the last word has no meaning here
}

// read reads one entry of a list: an id, a range, ids joined by slashes, or several of these among
// words. An entry whose first words are unknown names nothing, unless a kind word comes later.
func (r *resolver) read(text string) entry {
	p := reader{resolver: r, words: strings.Fields(text)}
	p.to = &p.hits
	if hits, several := r.exactly(text); len(hits) > 0 && !priced(text) &&
		!strings.ContainsFunc(text, compares) {
		if p.add(text, hits, several); len(p.called[calling(text)]) == 0 &&
			(strings.HasSuffix(text, "?") || strings.HasPrefix(text, "~")) {
			p.doubt = text // "2?", "~2"
		}
		return p.entry
	}
	for i := range p.words {
		p.words[i] = unelided(p.words[i])
		p.apart = p.apart || isBeside(strings.ToLower(p.words[i]))
	}
	for from := 0; from < len(p.words); {
		if n := p.reference(from); n > 0 {
			from += n
			continue
		}
		if !p.word(from) {
			return entry{apart: p.apart}
		}
		from++
	}
	p.remark = strings.TrimSpace(p.remark)
	return p.entry
}

// blocks reports whether a text begins with "blocks", the verb: no phase is called a block.
func (r *resolver) blocks(text string) bool {
	first, rest, _ := strings.Cut(strings.ToLower(text), " ")
	return rest != "" && slices.Contains(laterWords, first) && IsKind(first) && !r.hasBlocks()
}

// hasBlocks reports whether a phase of the plan is called a block.
func (n *names) hasBlocks() bool {
	return slices.ContainsFunc(n.phases, func(p DraftPhase) bool {
		kind, _ := SplitKind(p.Word + " 1")
		return kind == "block"
	})
}

func (p *reader) add(phrase string, hits []int, several bool) {
	p.phrase = phrase
	p.ambiguous = p.ambiguous || !several && len(hits) > 1
	p.several = p.several || several || len(p.hits) > 0
	*p.to = append(*p.to, hits...)
}

// longestPhrase bounds a reference within an entry, in words.
const longestPhrase = 6

// reference reads a reference at a word, and returns of how many words it is, 0 where there is
// none.
func (p *reader) reference(from int) int {
	if priced(p.words[from]) {
		p.quantity = p.words[from]
		return 1
	}
	for to := min(len(p.words), from+longestPhrase); to > from; to-- {
		phrase := strings.Trim(strings.Join(p.words[from:to], " "), ".,:;?!*—–-()\"'`")
		if from > 0 && !p.kind && !p.plain(phrase) && (p.prose || p.namesPhase() ||
			len(p.called[calling(phrase)]) != 1) {
			continue
		}
		bare := !p.kind && (bareNumber(phrase) || p.abbreviates(phrase)) && !strings.HasPrefix(p.words[from], "#")
		if bare && p.prose {
			continue // "Node 20"
		}
		hits, several := p.exactly(phrase)
		if len(hits) == 0 {
			continue
		}
		last := p.words[to-1]
		if bare && to < len(p.words) && strings.HasSuffix(last, phrase[len(phrase)-1:]) {
			if counted := p.counted(hits, p.words[to]); counted != "" {
				*p.countTo(counted) = phrase + " " + p.words[to]
				if counted == "unit" {
					return to - from + 1
				}
			}
		}
		if strings.HasSuffix(last, "?") || strings.ContainsFunc(phrase+p.words[from][:1], compares) {
			p.doubt = p.words[from]
		}
		if p.prose && p.to == &p.hits && len(p.hits) > 0 {
			p.doubt = p.words[from-1] // "phase 1 as in phase 4"
		}
		p.add(phrase, hits, several)
		p.kind, p.prose = false, false
		return to - from
	}
	return 0
}

// countTo is where a number and the noun behind it go.
func (p *reader) countTo(what string) *string {
	if what == "unit" {
		return &p.quantity
	}
	return &p.unsure
}

// counted is what a word behind a bare number makes of it: "unit" of "2 weeks", "noun" of "2
// widgets", "" where the number is a phase.
func (p *reader) counted(hits []int, word string) string {
	word = strings.ToLower(strings.Trim(word, ".,:;?!*()\"'`"))
	first := firstOf(word)
	switch {
	case word == "" || len(hits) == 1 && shares(p.phases[hits[0]].Name, word):
		return ""
	case han(first):
		if slices.ContainsFunc(unitWords, func(u string) bool {
			return han(firstOf(u)) && strings.HasPrefix(word, u)
		}) {
			return "unit"
		}
		return ""
	case slices.Contains(unitWords, word), word == "of" && len(hits) == 1:
		return "unit" // "2 of 1, 2, 3"
	case !unicode.IsLetter(first) || utf8.RuneCountInString(word) < 2 || known(word) ||
		IsKind(word) || isBeside(word) || slices.Contains(softWords, word) ||
		slices.Contains(denyingWords, word) || slices.Contains(laterWords, word) ||
		slices.Contains(doubtWords, word):
		return ""
	}
	return "noun"
}

// shares reports whether a name has a word.
func shares(name, word string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(name),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }),
		func(w string) bool { return w == word || strings.TrimSuffix(w, "s") == strings.TrimSuffix(word, "s") })
}

// word reads a word that is no reference. It is false where the rest of the entry is about
// something else.
func (p *reader) word(at int) bool {
	raw := p.words[at]
	word := strings.ToLower(strings.Trim(raw, ".,:;()\"'`*"))
	_, digits := SplitKind(raw + " 1")
	wasKind := p.kind
	p.kind, p.prose = digits == "1" && word != "" && !p.blocks(word+" 1"), false
	part := func(list []string) bool { return meaning(word, list) }
	switch {
	case word == "" || strings.Trim(word, "-–—/&+#") == "" || p.kind:
	case isBeside(word):
		p.to = &p.beside
	case part(laterWords):
		p.to = &p.later
	case part(pointers):
		p.to = &p.aside
	case strings.ContainsFunc(word, compares):
		p.doubt = raw
	case (word == "no" || word == "non") && at+1 < len(p.words) && bareNumber(p.words[at+1]):
	case part(denyingWords) && (word != "no" || !p.namesPhase()):
		if p.to = &p.denied; han(firstOf(word)) && len(p.hits) > 0 {
			p.doubt = raw // "2를 제외한 모두": it may deny what stands before
		}
	case part(doubtWords):
		p.doubt = raw
	case known(word) || slices.Contains(softWords, word):
	case p.namesPhase() && wideDoubt(word):
		p.doubt = raw
	case quantityWord(word):
		p.quantity = raw
	case !p.namesPhase() && p.quantity == "" && !p.apart && !p.kindLater(p.words[at+1:]):
		return false
	case p.namesPhase() && p.measures(at):
		p.remark += " " + raw // "live for 14 days"
	case strings.ContainsAny(word, "0123456789") && !strings.ContainsAny(word, "./_") &&
		(bareNumber(word) || wasKind):
		p.doubt = raw
	default:
		p.prose = true
		if p.namesPhase() {
			p.remark += " " + raw
		} else {
			p.led = true
		}
	}
	return true
}

// measures reports whether a word is a number of units that is no phase: "14" of "14 days".
func (p *reader) measures(at int) bool {
	return at+1 < len(p.words) && bareNumber(p.words[at]) && slices.Contains(unitWords,
		strings.ToLower(strings.Trim(p.words[at+1], ".,:;?!*()\"'`")))
}

// compares reports whether a rune is a sign of mathematics, or denies what follows.
func compares(r rune) bool {
	return r == '!' || r == '^' || !strings.ContainsRune("+~～〜", r) && unicode.Is(unicode.Sm, r)
}

// isBeside reports whether a word says that things run at the same time.
func isBeside(word string) bool {
	return slices.ContainsFunc(besideWords, func(w string) bool { return strings.Contains(word, w) })
}

// meaning reports whether a word is in a list; a word of a script without blanks has to begin with
// an entry of it.
func meaning(word string, list []string) bool {
	if !han(firstOf(word)) {
		return slices.Contains(list, word)
	}
	return slices.ContainsFunc(list, func(w string) bool { return strings.HasPrefix(word, w) })
}

// wideDoubt reports whether a word of a script without blanks says more of the phases before it
// than that they are complete: "以外" of "2以外".
func wideDoubt(word string) bool {
	holds := func(list []string) bool {
		return slices.ContainsFunc(list, func(w string) bool { return strings.Contains(word, w) })
	}
	switch {
	case !han(firstOf(word)):
		return false
	case holds(wideLimits):
		return true
	case holds(wideEnds):
		return false
	}
	for rest := word; rest != ""; {
		size := 0
		for _, w := range wideParticles {
			if strings.HasPrefix(rest, w) {
				size = max(size, len(w))
			}
		}
		if size == 0 {
			return true
		}
		rest = rest[size:]
	}
	return false
}

// known reports whether a word has no meaning of its own in a list of dependencies.
func known(word string) bool {
	return slices.Contains(fillers, word) || slices.Contains(states, word)
}

// bareNumber reports whether a text is a number, a range of numbers or one letter, without a kind.
func bareNumber(text string) bool {
	for _, mark := range rangeMarks {
		text = strings.ReplaceAll(text, mark, "")
	}
	text = strings.TrimSpace(text)
	return strings.Trim(text, "0123456789./+,;:?") == "" && strings.ContainsAny(text, "0123456789") ||
		len(text) == 1 && letter(text[0])
}

// priced reports whether a word counts money or percents.
func priced(word string) bool {
	word = strings.Trim(word, ".,;:()")
	return strings.ContainsAny(word, moneySigns) && strings.ContainsAny(word, "0123456789")
}

// quantityWord recognises "v2", "q1", "2h", "10:30" and dates.
func quantityWord(word string) bool {
	digits := strings.Trim(word, "0123456789")
	number := strings.Trim(word, "0123456789.") == ""
	switch {
	case number && len(word) == 4 && (strings.HasPrefix(word, "19") || strings.HasPrefix(word, "20")):
		return true
	case len(word) < 2 || !strings.ContainsAny(word, "0123456789"):
		return false
	case (word[0] == 'v' || word[0] == 'q') && strings.Trim(word[1:], "0123456789.") == "":
		return true
	case digit(word[0]) && len(digits) > 1 && slices.Contains(unitWords, digits):
		return true
	}
	return strings.Count(word, "-") == 2 && strings.Trim(word, "0123456789-") == "" && len(word) == 10 ||
		strings.Contains(word, ":") && strings.Trim(word, "0123456789:") == ""
}
