package plan

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/text"
)

// exceptions begin what a list of dependencies rules out, in lower case: "all except phase 2".
var exceptions = []string{
	"except for", "except", "excepting", "excluding", "excl.", "with the exception of", "other than",
	"apart from", "aside from", "save for", "without", "but not", "but does not", "but doesn't",
	"not including", "außer", "ausgenommen", "mit ausnahme von", "bis auf", "ohne", "aber nicht",
	"jedoch nicht", "nicht aber", "sauf", "excepté", "hormis", "à l'exception de", "mais pas",
	"excepto", "salvo", "menos", "pero no", "exceto", "menos a", "mas não", "eccetto", "tranne",
	"ma non", "кроме", "за исключением", "но не", "oprócz", "z wyjątkiem", "ngoại trừ", "trừ",
	"除了", "除", "不依赖", "不依賴", "不包括", "不含", "但不", "제외하고",
}

// onlyWords go on behind a word for none or all as exceptions do: "nothing but phase 4".
var onlyWords = []string{
	"but only", "but", "only", "just", "aber erst", "aber nur", "aber", "nur", "erst", "seulement",
	"mais seulement", "mais", "que", "sólo", "solo", "solamente", "pero", "só", "somente", "mas",
	"soltanto", "ma", "только", "но", "tylko", "但", "只", "仅", "僅",
}

// exceptionFirst matches a list that names what it rules out before the word for all: "除阶段2以外的
// 所有阶段", "2以外すべて", "2를 제외한 모두".
var exceptionFirst = lazyregexp.New(`^\s*除了?(.+?)(?:以外|之外|外)的?(所有|全部)[^0-9]*$|` +
	`^\s*(.+?)(?:以外|を?除く|を?除いた)の?(すべて|全て|全部)[^0-9]*$|` +
	`^\s*(.+?)[를을]? ?제외한 ?(?:나머지 )?(모두|모든|전부|전체)[^0-9]*$`)

// splitException cuts a list where it goes on with what it rules out: "phase 1, but not phase 2".
// Without an exception out is empty. What stands in parentheses belongs to its entry.
func (n *names) splitException(s string) (list, out string) {
	if m := exceptionFirst.FindStringSubmatch(s); m != nil {
		return m[2] + m[4] + m[6], m[1] + m[3] + m[5]
	}
	depth := 0
	for i, r := range s {
		switch {
		case r == '(' || r == '（':
			depth++
		case r == ')' || r == '）':
			depth = max(0, depth-1)
		case i == 0 || depth > 0:
		default:
			if rest, found := cutWord(s, i, exceptions); found {
				return s[:i], rest
			}
		}
	}
	for _, word := range onlyWords[:2] { // "everything but phase 2"
		list, rest, found := strings.Cut(s, " "+word+" ")
		if _, all := saysAll(list); found && all && n.refersTo(rest) {
			return list, rest
		}
	}
	return s, ""
}

// cutWord takes the longest of some phrases off the text that begins at s[at:], where it stands as
// words of its own.
func cutWord(s string, at int, phrases []string) (rest string, found bool) {
	before, longest := ' ', 0
	if at > 0 {
		before, _ = utf8.DecodeLastRuneInString(s[:at])
	}
	for _, phrase := range phrases {
		rest, ok := cutFold(s[at:], phrase)
		if !ok || len(phrase) <= longest {
			continue
		}
		wide := han(firstOf(phrase))
		if wide || !unicode.IsLetter(before) && !unicode.IsLetter(firstOf(rest)) && rest != "" {
			longest = len(phrase)
		}
	}
	return s[at+longest:], longest > 0
}

// turning are the words behind which a word for none does not hold.
var turning = slices.Concat(exceptions, onlyWords)

// afterNone is the list behind a word for none that only seems to say so: "phase 2" of "none, but
// after phase 2", "none except phase 2" and "nothing but phase 2"; else empty.
func (n *names) afterNone(s string) string {
	rest, none := cutNone(s)
	if !none {
		return ""
	}
	rest = strings.TrimLeft(rest, " ,;:.–—-，、")
	after, found := cutWord(rest, 0, turning)
	if !found || !n.refersTo(after) || strings.Contains(after, "parallel") {
		return ""
	}
	return strings.TrimSpace(after)
}

// refersTo reports whether a text begins with a reference, after words without meaning: an id, or
// the name of a phase up to the next separator.
func (n *names) refersTo(text string) bool {
	for {
		text = strings.TrimLeft(text, " ,:\"'*_`#(")
		if text == "" {
			return false
		}
		if text = unelided(text); refers(text) || n.beginsWithName(text) {
			return true
		}
		word, rest, more := strings.Cut(text, " ")
		word = strings.ToLower(word)
		if !more || !slices.Contains(fillers, word) && !IsKind(word) {
			return false
		}
		text = rest
	}
}

// beginsWithName reports whether a text begins with a label or a name of a phase.
func (n *names) beginsWithName(text string) bool {
	if n == nil {
		return false
	}
	end := strings.IndexAny(text, ",;&()+→")
	if end < 0 {
		end = len(text)
	}
	words := strings.Fields(text[:end])
	for to := min(len(words), longestPhrase); to > 0; to-- {
		phrase := strings.Trim(strings.Join(words[:to], " "), ".:\"'*_`")
		if to == 1 && len(phrase) == 1 && phrase[0] >= 'a' {
			continue // the article "a"
		}
		if len(n.find(phrase)) > 0 {
			return true
		}
	}
	return false
}

// ruleOut takes the phases that a text names off a relation that says which phase self waits for.
// all is whether the relation is about every phase: there an unknown one is an error.
func (r *resolver) ruleOut(self int, ref Ref, out string, all bool, rel *relation) {
	var hits []int
	for _, item := range r.splitList(out) {
		e := r.read(strings.TrimSpace(unelided(item.text)))
		if e.quantity != "" || e.unsure != "" {
			r.warn(ref, fmt.Sprintf("%q is read as a quantity, and rules out no phase",
				text.Clip(e.quantity+e.unsure, maxQuoted)), "")
			continue
		}
		if len(e.hits) == 0 && (all || r.refersTo(item.text)) {
			pos, width := r.place(ref, item.text)
			r.unknown(self, item, pos, width, rel)
		}
		hits = append(hits, e.hits...)
	}
	rel.except = append(rel.except, hits...)
	rel.hard = slices.DeleteFunc(rel.hard, func(i int) bool { return slices.Contains(hits, i) })
}
