package receipts

import (
	"slices"
	"strings"
	"unicode"

	"autobuild/internal/lazyregexp"
	"autobuild/plan"
	"autobuild/plan/markdown/words"
)

// named is a phase that a text names by kind word and id, or by a code, and where.
type named struct{ phase, from, to int }

// namedIn lists the phases that a text names by kind word and id, or by a code, wherever in it.
func (l *ledger) namedIn(text string) []int {
	phases, _ := l.namedFrom(text)
	return phases
}

// namedFrom is namedIn with the place of the first name.
func (l *ledger) namedFrom(text string) (phases []int, first int) {
	for _, n := range l.names(text) {
		if !slices.Contains(phases, n.phase) {
			phases = append(phases, n.phase)
		}
		if len(phases) == 1 && n.phase == phases[0] && first == 0 {
			first = n.from
		}
	}
	return phases, first
}

// names lists the names of phases in a text, in order.
func (l *ledger) names(text string) (all []named) {
	const longest = 40 // bytes of a kind word and an id
	previous := ' '
	for at, r := range text {
		begins := !unicode.IsLetter(previous) && !unicode.IsDigit(previous) || words.Ideograph(r)
		previous = r
		if !begins {
			continue
		}
		part := strings.ToValidUTF8(text[at:min(at+longest, len(text))], "")
		kind, core := plan.SplitKind(part)
		label, rest := words.IDAt(core)
		path := strings.HasPrefix(rest, "/") // "phase1/"
		code := kind == "" && words.CodeLike(label)
		if label == "" || !l.calls(kind) && !code || path {
			continue
		}
		if k, known := l.Index().Find(strings.TrimSpace(kind + " " + label)); known {
			all = append(all, named{k, at, at + len(part) - len(rest)})
		}
	}
	return all
}

// idList matches the ids behind a kind word, or before one where the script has no blanks.
var (
	idList = lazyregexp.New(`\b[A-Za-zÀ-ÿ]+\s+#?(\d+[a-z]?(?:\.\d+)*(?:\s*(?:,|/|&|–|—|-|\band\b|\bund\b|` +
		`\bet\b|\by\b|\be\b|\bor\b|\bto\b|, and)\s*#?\d+[a-z]?(?:\.\d+)*)*)`)
	idsBefore     = lazyregexp.New(`第?\s*(\d+(?:\s*[、,，和与及と~–-]\s*第?\d+)*)\s*(阶段|階段|フェーズ|단계|步|ステップ)`)
	idsInBrackets = lazyregexp.New(`[\p{L}] \(#?(\d+)\)`)
	idsBehind     = lazyregexp.New(`(阶段|階段|フェーズ|단계|步骤|ステップ|этап[а-я]*|фаз[а-я]*)\s*(\d+(?:\s*(?:[、,，和与及と~–-]|и)\s*\d+)*)`)
)

// allNamedIn lists the phases that a text names, in the order of the text: by kind word and ids, by
// a code, or by their names in full.
func (l *ledger) allNamedIn(text string) (all []int) {
	add := func(hits ...int) {
		for _, k := range hits {
			if !slices.Contains(all, k) {
				all = append(all, k)
			}
		}
	}
	add(l.namedIn(text)...)
	for _, m := range idList.FindAllStringSubmatch(text, -1) {
		kind, core := plan.SplitKind(m[0])
		if kind == "" || !l.calls(kind) || core == "" {
			continue
		}
		add(l.Index().Mentions(m[1])...)
	}
	for _, m := range idsBefore.FindAllStringSubmatch(text, -1) {
		add(l.Index().Mentions(strings.ReplaceAll(m[1], "第", ""))...)
	}
	for _, m := range idsBehind.FindAllStringSubmatch(text, -1) {
		add(l.Index().Mentions(m[2])...)
	}
	add(l.listedBehind(text)...)
	if len(l.kinds) == 0 {
		for _, m := range idsInBrackets.FindAllStringSubmatch(text, -1) {
			add(l.Index().Mentions(m[1])...)
		}
	}
	first := len(all)
	if l.phaseNames == nil {
		l.listNames()
	}
	for name, k := range l.phaseNames {
		if holdsName(text, name) {
			add(k)
		}
	}
	slices.Sort(all[first:])
	return all
}

// calls reports whether a kind word before an id names a phase. Phases that have only a number are
// tasks, steps or phases, where no heading is one.
func (l *ledger) calls(kind string) bool {
	return l.kinds[kind] || len(l.kinds) == 0 && l.Doc.HeadingKinds()[kind] == 0 &&
		(kind == "task" || kind == "step" || kind == "phase")
}

// listNames lists the names of phases that are searched for in prose.
func (l *ledger) listNames() {
	const most = 100 // phases
	l.phaseNames = map[string]int{}
	for k := range l.Units[:min(most, len(l.Units))] {
		if label := l.Units[k].Label; !strings.ContainsAny(label, "0123456789") {
			l.letters = append(l.letters, label)
		}
		if name := l.Units[k].Name; uniqueName(name) && l.calledOnly(k) {
			l.phaseNames[name] = k
		}
	}
}

// listedBehind lists the phases behind a word that only a list of phases can follow: "depends on 1,
// 2".
func (l *ledger) listedBehind(text string) []int {
	list := words.ListBehindHint(text)
	if list == "" {
		return nil
	}
	if known, unknown, free := l.Index().Count(list); known == 0 || unknown > 0 || free {
		return nil
	}
	return l.Index().Mentions(list)
}

// calledOnly reports whether no other phase has the name of phase k.
func (l *ledger) calledOnly(k int) bool {
	hits := l.Index().Called(l.Units[k].Name)
	return len(hits) == 1 && hits[0] == k
}

// uniqueName reports whether a name is long enough to be searched for in prose, and no text of its
// own.
func uniqueName(name string) bool {
	const shortest, longest = 4, 200 // bytes
	if len(name) > longest {
		return false
	}
	return len(name) >= shortest && name != strings.ToLower(name) || strings.Contains(name, " ")
}

// holdsName reports whether a text holds a name as words of its own, written as it is.
func holdsName(text, name string) bool {
	at := strings.Index(text, name)
	if at < 0 {
		return false
	}
	end := at + len(name)
	word := func(c byte) bool { return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }
	return (at == 0 || !word(text[at-1])) && (end == len(text) || !word(text[end]))
}
