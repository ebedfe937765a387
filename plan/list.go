package plan

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"autobuild/internal/lazyregexp"
)

// listItem is one entry of a dependency list.
type listItem struct {
	text  string // without notes
	notes string // what stood in parentheses
	off   int    // where it begins in the list
	joint joint  // what joins it with the entry before
}

// written is an entry with its notes.
func (item listItem) written() string {
	if item.notes == "" {
		return item.text
	}
	return item.text + " (" + item.notes + ")"
}

// finishToStart matches a predecessor as planning programs export it: "2FS", "2FS+1 day". The time
// between the two is no dependency.
var finishToStart = lazyregexp.New(`\b([0-9][0-9.]*)FS(?: ?[+-] ?[0-9.]+ ?[a-z]*)?`)

// strike stands around a text that is struck out.
const strike = "~~"

var struck = lazyregexp.New(`~~([^~]*)~~`)

// struckOut is the first text of a list that is struck out.
func struckOut(s string) string {
	if !strings.Contains(s, strike) {
		return ""
	}
	if m := struck.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return ""
}

// splitList cuts a list at its separators outside parentheses. The slash is left to the caller.
func (n *names) splitList(s string) []listItem {
	if strings.Contains(s, strike) {
		s = struck.ReplaceAllString(s, " ")
	}
	if strings.Contains(s, "FS") {
		s = finishToStart.ReplaceAllString(s, "$1")
	}
	if !numbersOnly(s) {
		if after := n.afterNone(s); after != "" {
			s = after
		}
		s, _ = n.splitException(s)
	}
	if n != nil {
		n.group = ""
	}
	var items []listItem
	depth, start, next := 0, 0, jointAnd
	cut := func(end, from int, with joint) {
		if item, ok := newItem(s[start:end], start); ok {
			item.joint = next
			items = append(items, item)
			next = jointAnd
		}
		start, next = from, max(next, with)
	}
	for i := 0; i < len(s); {
		rest := s[i:]
		width := len(firstRune(rest))
		switch {
		case strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "（"):
			depth++
		case strings.HasPrefix(rest, ")") || strings.HasPrefix(rest, "）"):
			depth = max(0, depth-1)
		case depth > 0:
		default:
			if size := separator(s, i); size > 0 {
				cut(i, i+size, jointAnd)
				width = size
			} else if size, with := n.jointAt(s, i); size > 0 {
				cut(i, i+size, with)
				width = size
			}
		}
		i += width
	}
	cut(len(s), len(s), jointAnd)
	return items
}

// jointAt is the length of the joint at s[i:], or 0.
func (n *names) jointAt(s string, i int) (size int, with joint) {
	first := s[i]
	if i == 0 || first != ' ' && first != '-' && first != '=' && first != '<' && first < 0x80 {
		return 0, jointAnd
	}
	for _, j := range jointWords {
		for _, word := range j.words {
			after, found := cutFold(s[i:], word)
			if found && len(word) > size && strings.TrimSpace(after) != "" && n.refersTo(after) {
				size, with = len(word), j.joint
			}
		}
	}
	return size, with
}

// separator is the length of the list separator at s[i:], or 0.
func separator(s string, i int) int {
	rest := s[i:]
	for _, sep := range []string{
		",", ";", " / ", "&", "·", "、", "・", "，", "；", "<br>", "<br/>",
		"<br />",
	} {
		if strings.HasPrefix(rest, sep) {
			return len(sep)
		}
	}
	if rest[0] == '+' {
		after := strings.TrimLeft(rest[1:], " ")
		if after != "" && letterOrDigit(after[0]) {
			return 1
		}
		return 0
	}
	for _, word := range []string{
		" and ", " AND ", " And ", " und ", " y ", " e ", " et ", " и ",
		" sowie ", " và ", " as well as ", "和", "及", "与", "以及", "および", "及び", "並びに", " 및 ",
	} {
		if strings.HasPrefix(rest, word) && !strings.HasPrefix(rest, " and then ") {
			return len(word)
		}
	}
	// "and" where a reference follows; else a part of a word
	for _, particle := range []string{"と", "와 ", "과 "} {
		if after, found := strings.CutPrefix(rest, particle); found && i > 0 && after != "" &&
			refers(after) {
			return len(particle)
		}
	}
	return 0
}

// refers reports whether a text begins with a number, or with a kind word and a number.
func refers(text string) bool {
	text = narrow(text)
	kind, core := SplitKind(text)
	return kind != "" && core != "" && letterOrDigit(core[0]) || text != "" &&
		letterOrDigit(text[0]) && text[0] <= '9' || strings.HasPrefix(text, "第")
}

func firstRune(s string) string {
	for i := range s {
		if i > 0 {
			return s[:i]
		}
	}
	return s
}

// newItem takes the notes off an entry; ok is false when nothing is left at all.
func newItem(s string, off int) (listItem, bool) {
	var text, notes strings.Builder
	depth := 0
	for _, r := range s {
		switch {
		case r == '(' || r == '（':
			depth++
		case r == ')' || r == '）':
			depth = max(0, depth-1)
			notes.WriteByte(' ')
		case depth > 0:
			notes.WriteRune(r)
		default:
			text.WriteRune(r)
		}
	}
	const around = " \t*`_\"'.:[]{}"
	off += len(s) - len(strings.TrimLeft(s, around))
	item := listItem{
		text:  strings.TrimLeft(strings.TrimRight(spaced(text.String()), around), around),
		notes: strings.TrimSpace(notes.String()), off: off,
	}
	if whole := strings.TrimSpace(s); item.text == "" && item.notes == "" && unlisted(whole) {
		item.text = whole
	}
	return item, item.text != "" || item.notes != ""
}

// saysNone reports whether a whole list says that there are no dependencies; rest is what follows
// the word. "None except phase 1" does not.
func (n *names) saysNone(s string) (rest string, ok bool) {
	if numbersOnly(s) || n.afterNone(s) != "" {
		return "", false
	}
	return cutNone(s)
}

// numbersOnly reports whether a list is numbers, commas and spaces. Most lists are, and such a list
// has no words to look for.
func numbersOnly(s string) bool {
	for i := range len(s) {
		if !digit(s[i]) && s[i] != ',' && s[i] != ' ' {
			return false
		}
	}
	return strings.Trim(s, ", ") != ""
}

// cutNone takes a word for none off a list.
func cutNone(s string) (rest string, ok bool) {
	whole := strings.TrimSpace(s)
	s = strings.ToLower(strings.Trim(s, " \t*`_.\"'[]"))
	if s == "" && unlisted(whole) {
		return "", false
	}
	if strings.Trim(s, "-–—−") == "" || s == "no" {
		return "", true
	}
	s = strings.TrimSpace(strings.TrimLeft(s, "-–— ✅🟢"))
	for _, word := range noneWords {
		after, found := strings.CutPrefix(s, word)
		if next := strings.TrimLeft(after, " "); strings.HasPrefix(next, "after") ||
			strings.HasPrefix(next, "once") || strings.HasPrefix(next, "when") {
			continue // "can start immediately after 2"
		}
		if found && (after == "" || !letterOrDigit(after[0]) || after[0] >= 0x80) {
			return after, true
		}
	}
	return "", false
}

// unlisted reports whether an entry stands for phases that it does not list: "*", "...".
func unlisted(entry string) bool {
	return entry == "*" || entry == "\\*" || entry == "**" || strings.Trim(entry, ".…") == "" &&
		(len(entry) > 1)
}

// SaysNone reports whether a list of dependencies says that there are none: "-", "none", "无".
func SaysNone(list string) bool {
	_, none := (*names)(nil).saysNone(list)
	return none
}

// saysAll reads "all", "all previous phases", "every other task".
func saysAll(s string) (previous, ok bool) {
	words := strings.Fields(strings.ToLower(s))
	if len(words) == 0 {
		return false, false
	}
	if words[0] == "everything" {
		return slices.ContainsFunc(words,
			func(w string) bool { return slices.Contains(previousWords, w) }), true
	}
	if words[0] != "all" && words[0] != "every" {
		return saysAllElsewhere(s)
	}
	for _, w := range words[1:] {
		w = strings.Trim(w, ".:;")
		switch {
		case slices.Contains(previousWords, w):
			previous = true
		case slices.Contains([]string{
			"other", "others", "the", "of", "else", "complete", "completed",
			"done", "remaining", "this", "one", "it",
		}, w):
		case IsKind(w), w == "stories", w == "above":
		default:
			return false, false
		}
	}
	return previous, true
}

// SaysLater reports whether a list means all phases behind the one that it belongs to: "all
// subsequent phases".
func SaysLater(list string) bool {
	words := strings.Fields(strings.ToLower(strings.Trim(list, " .;")))
	if len(words) == 0 || !slices.Contains([]string{"all", "every", "everything"}, words[0]) {
		return false
	}
	later := words[0] == "everything"
	for _, w := range words[1:] {
		if slices.Contains([]string{
			"subsequent", "later", "following", "remaining", "other", "others", "else", "after",
		}, w) {
			later = true
		} else if !IsKind(w) && w != "the" && w != "of" && w != "stories" && w != "work" && w != "this" {
			return false
		}
	}
	return later
}

// SaysAll reports whether a list of dependencies is nothing but a word for all phases, or for all
// that stand before, and maybe an exception: "all phases except phase 3".
func SaysAll(s string) bool {
	const longest = 200 // bytes
	if len(s) > longest {
		return false
	}
	list, _ := (*names)(nil).splitException(" " + strings.TrimSpace(s))
	if _, all := saysAll(list); !all {
		return false
	}
	for _, w := range strings.Fields(strings.ToLower(list)) {
		w = strings.Trim(w, ".,:;")
		if IsKind(w) || w == "everything" || slices.Contains(previousWords, w) {
			return true
		}
	}
	_, all := saysAllElsewhere(list)
	return all && slices.ContainsFunc(priorWords,
		func(w string) bool { return strings.Contains(strings.ToLower(list), w) })
}

// saysAllElsewhere reads "所有前面的任务", "alle vorherigen Schritte".
func saysAllElsewhere(s string) (previous, ok bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	if strings.ContainsAny(s, "0123456789") {
		return false, false
	}
	for _, word := range allWords {
		rest, found := strings.CutPrefix(s, word)
		if !found || rest != "" && firstRune(rest)[0] < 0x80 && rest[0] != ' ' {
			continue
		}
		return slices.ContainsFunc(priorWords,
			func(w string) bool { return strings.Contains(rest, w) }), true
	}
	return false, false
}

// saysPrevious reads "previous phase".
func saysPrevious(s string) bool {
	words := strings.Fields(strings.ToLower(s))
	if len(words) > 0 && words[0] == "the" {
		words = words[1:]
	}
	if len(words) == 0 || len(words) > 2 || !slices.Contains(previousWords[:4], words[0]) {
		return false
	}
	return len(words) == 1 || IsKind(words[1])
}

// hasSoftWord reports whether a text says that it is only a preference.
func hasSoftWord(s string) bool {
	for _, w := range strings.FieldsFunc(strings.ToLower(s),
		func(r rune) bool { return r < 0x80 && !letter(byte(r)) }) {
		if slices.Contains(softWords, w) {
			return true
		}
	}
	return strings.Contains(s, "望ましい") || strings.Contains(s, "推奨")
}

// spaced puts blanks between the letters of scripts that write without and what is written in
// ASCII, so that "依赖US1完成后" has three words. Without such letters it returns the text as it is.
func spaced(s string) string {
	wide := false
	for i := range len(s) {
		wide = wide || s[i] >= 0xe3
	}
	if !wide {
		return s
	}
	var b strings.Builder
	previous := rune(0)
	for _, r := range ordinals(s) {
		joined := previous != 0 && han(previous) != han(r) && previous != ' ' && r != ' ' &&
			!numeral(previous) && !numeral(r)
		if joined && (han(r) || r < 0x80 && letterOrDigit(byte(r))) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		previous = r
	}
	return b.String()
}

func han(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) ||
		r == 'ー'
}

// ordinals turns every "第2阶段" of a text into "阶段 2".
func ordinals(s string) string {
	var words []string
	for _, word := range strings.Fields(s) {
		if at := strings.Index(word, "第"); at >= 0 {
			word = word[:at] + " " + ordinalFirst(word[at:])
		} else {
			word = ordinalFirst(word)
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func without(list []int, value int) []int {
	return slices.DeleteFunc(slices.Clone(list), func(i int) bool { return i == value })
}

func unique(list []int) []int {
	slices.Sort(list)
	return slices.Compact(list)
}

// enumerate joins labels as people do: "2A, 2B or 3".
func enumerate(labels []string) string {
	const most = 8
	if len(labels) > most {
		return strings.Join(labels[:most], ", ") + fmt.Sprintf(" or %d more", len(labels)-most)
	}
	if len(labels) < 2 {
		return strings.Join(labels, "")
	}
	return strings.Join(labels[:len(labels)-1], ", ") + " or " + labels[len(labels)-1]
}
