package plan

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// The words of all languages by which plans say things. The file explains its rows.
//
//go:embed words.txt
var wordTable string

// wordRows are the rows of the table, those of all languages together, the longer words first.
var wordRows = sync.OnceValue(func() map[string][]string {
	rows := map[string][]string{}
	for line := range strings.Lines(wordTable) {
		row, list, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || row[0] == '#' {
			continue
		}
		for word := range strings.SplitSeq(list, ",") {
			rows[row] = append(rows[row], strings.TrimSpace(word))
		}
	}
	for row := range rows {
		slices.SortStableFunc(rows[row], func(a, b string) int { return len(b) - len(a) })
	}
	return rows
})

// wordSets are the rows as sets.
var wordSets = sync.OnceValue(func() map[string]map[string]bool {
	sets := map[string]map[string]bool{}
	for row, list := range wordRows() {
		sets[row] = make(map[string]bool, len(list))
		for _, w := range list {
			sets[row][w] = true
		}
	}
	return sets
})

// IsWord reports whether a text, whatever its case, is a word of a row of the table of words.
func IsWord(row, text string) bool {
	return wordSets()[row][strings.ToLower(strings.TrimSpace(text))]
}

// Words are the words of a row, in lower case, the longer first. Do not modify.
func Words(row string) []string { return wordRows()[row] }

// CutWord takes a word of a row off the beginning of a text: it has to end there.
func CutWord(row, text string) (rest string, ok bool) {
	for _, w := range wordRows()[row] {
		if rest, ok = cutFold(text, w); ok && !goesOn(w, rest) {
			return rest, true
		}
	}
	return text, false
}

// FindWord is the place and the length of the first word of a row in a text in lower case, and -1
// where none stands there.
func FindWord(row, lower string) (at, size int) {
	at = -1
	for _, w := range wordRows()[row] {
		for from := 0; ; {
			k := strings.Index(lower[from:], w)
			if k < 0 || at >= 0 && from+k >= at {
				break
			}
			k += from
			before, _ := utf8.DecodeLastRuneInString(lower[:k])
			joined := firstOf(w) < 0x2e80 && (unicode.IsLetter(before) && before < 0x2e80 || unicode.IsDigit(before))
			if !joined &&
				!goesOn(w, lower[k+len(w):]) {
				at, size = k, len(w)
				break
			}
			from = k + len(w)
		}
	}
	return at, size
}

// goesOn reports whether a text goes on with letters of the word before it. Scripts that write
// without blanks have no such ends.
func goesOn(word, rest string) bool {
	last, _ := utf8.DecodeLastRuneInString(word)
	next := firstOf(rest)
	return last < 0x2e80 && unicode.IsLetter(last) && unicode.IsLetter(next) && next < 0x2e80
}

// kind is a word that only says what sort of thing an id names.
type kind struct {
	text, name       string
	loose, container bool
}

// kinds lists the spellings by their first letter, the longer first.
var kinds = sync.OnceValue(func() map[rune][]kind {
	index := map[rune][]kind{}
	for row, list := range wordRows() {
		name, ok := strings.CutPrefix(row, "kind ")
		if !ok {
			continue
		}
		name, loose := strings.CutSuffix(name, " loose")
		name, container := strings.CutSuffix(name, " container")
		for _, w := range list {
			index[firstOf(w)] = append(index[firstOf(w)], kind{w, name, loose, container})
		}
	}
	for r := range index {
		slices.SortFunc(index[r], func(a, b kind) int {
			if len(a.text) != len(b.text) {
				return len(b.text) - len(a.text)
			}
			return strings.Compare(a.name+a.text, b.name+b.text)
		})
	}
	return index
})

// IsKind reports whether a single word is a kind: "Phase", "phases", "阶段".
func IsKind(word string) bool {
	word = strings.ToLower(word)
	return slices.ContainsFunc(kinds()[firstOf(word)], func(k kind) bool {
		return k.text == word || k.text+"s" == word
	})
}

// IsContainer reports whether a kind, as SplitKind names it, holds phases: "epic", "wave".
func IsContainer(name string) bool {
	for _, list := range kinds() {
		if slices.ContainsFunc(list, func(k kind) bool { return k.container && k.name == name }) {
			return true
		}
	}
	return false
}

// NearKind is the kind word that a word almost is, such as "phase" for "Phse"; empty for none.
func NearKind(word string, misspelt func(a, b string) bool) string {
	word = strings.ToLower(word)
	if utf8.RuneCountInString(word) < 4 || IsKind(word) {
		return ""
	}
	for _, r := range slices.Sorted(mapKeys(kinds())) {
		for _, k := range kinds()[r] {
			if !k.loose && len(k.text) > 3 && (misspelt(word, k.text) || misspelt(word, k.text+"s")) {
				return k.text
			}
		}
	}
	return ""
}

func mapKeys[K comparable, V any](m map[K]V) func(yield func(K) bool) {
	return func(yield func(K) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func firstOf(s string) rune {
	first, _ := utf8.DecodeRuneInString(s)
	return first
}

// SplitKind takes the kind word off a label: "Task Group 3" is "task group" and "3", "2A" is "" and
// "2A", and "第2阶段" is "phase" and "2". A kind word joined by a hyphen belongs to the id
// ("TASK-FB-001"), except for "phase-2a", which is how autobuild itself names files.
func SplitKind(label string) (name, core string) {
	label = strings.TrimSpace(label)
	if first := firstOf(label); first >= 0x80 || digit(byte(first)) && len(label) > 1 {
		label = ordinalFirst(label)
	}
	for _, k := range kinds()[unicode.ToLower(firstOf(label))] {
		rest, ok := cutFold(label, k.text)
		if !ok {
			rest, ok = cutInflected(label, k.text)
		}
		if !ok {
			continue
		}
		if core, ok := k.core(rest); ok {
			return k.name, core
		}
	}
	return "", label
}

// core returns the text after the kind word, if the word ends there.
func (k kind) core(rest string) (string, bool) {
	if rest == "" {
		return "", false
	}
	if len(rest) > 1 && rest[0]|0x20 == 's' && strings.ContainsAny(rest[1:2], " #\t") {
		rest = rest[1:]
	}
	if after := strings.TrimLeft(strings.TrimPrefix(rest, ":"), " "); rest[0] == ':' &&
		after != "" && digit(after[0]) {
		rest = " " + after // "Phase: 1 - Name"
	}
	trimmed := strings.TrimLeft(rest, " #\t\u00a0\u3000№")
	for _, word := range []string{"no. ", "no.", "nr. ", "n° ", "nº "} {
		if after, found := cutFold(trimmed, word); found && after != "" && digit(after[0]) {
			trimmed = after
		}
	}
	wide := k.text[len(k.text)-1] >= 0x80
	named := k.name == "phase" && strings.ContainsAny(rest[:1], "-_") ||
		wide && (numeral(firstOf(rest)) || rest[0] >= 'A' && rest[0] <= 'Z' && ordinal(rest))
	if trimmed == "" || trimmed == rest && (k.loose && !wide || !digit(rest[0])) && !named {
		return "", false
	}
	core := strings.TrimLeft(trimmed, "-_")
	return core, core != "" && (!k.loose && !k.container || ordinal(core))
}

// ordinal reports whether a text begins with a number, a short code with a digit ("U1"), or one
// letter that stands alone.
func ordinal(s string) bool {
	end := strings.IndexFunc(s, func(r rune) bool {
		return r > 0x7f && !numeral(r) || r < 0x80 && !letterOrDigit(byte(r)) && r != '-' &&
			r != '_'
	})
	if end < 0 {
		end = len(s)
	}
	token := s[:end]
	return strings.ContainsAny(token, "0123456789") || numeral(firstOf(token)) || len(token) == 1 &&
		token[0] >= 'A' && token[0] <= 'Z'
}

// cutFold takes a prefix off, whatever its case.
func cutFold(s, prefix string) (rest string, ok bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):], true
	}
	return s, false
}

// cutInflected takes a Cyrillic word off in any of its cases: "этапа", "этапов" and "этапу" for
// "этап".
func cutInflected(s, word string) (rest string, ok bool) {
	const ending = 3 // letters
	if !unicode.Is(unicode.Cyrillic, firstOf(word)) {
		return s, false
	}
	rest, ok = cutFold(s, strings.TrimRight(word, "аяыиьй"))
	for n := 0; ok && unicode.Is(unicode.Cyrillic, firstOf(rest)); n++ {
		if n == ending {
			return s, false
		}
		rest = rest[utf8.RuneLen(firstOf(rest)):]
	}
	return rest, ok
}

// ordinalFirst writes the ordinals of languages that put the number first the other way round:
// "第一阶段：名" is "阶段 一：名", "2단계" is "단계 2".
func ordinalFirst(s string) string {
	rest, marked := strings.CutPrefix(s, "第")
	rest = strings.TrimLeft(rest, " ")
	end := 0
	for _, r := range rest {
		if !numeral(r) && r != '.' && (r > 0x7f || !digit(byte(r))) {
			break
		}
		end += utf8.RuneLen(r)
	}
	if end == 0 {
		return s
	}
	number, after := rest[:end], strings.TrimLeft(rest[end:], " ")
	for _, counter := range []string{"个", "個", "-", "та", "-й ", "-я "} {
		after = strings.TrimPrefix(after, counter)
	}
	if firstOf(after) < 0x80 {
		return s
	}
	for _, k := range kinds()[unicode.ToLower(firstOf(after))] {
		tail, ok := cutFold(after, k.text)
		if ok && (marked || k.name != "week" && k.name != "day") {
			return after[:len(k.text)] + " " + number + tail
		}
	}
	return s
}
