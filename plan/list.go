package plan

import (
	"slices"
	"strings"
)

// noneWords say that there are no dependencies, also when more text follows.
var noneWords = []string{
	"none", "nothing", "n/a", "na", "nil", "no dependencies", "no dependency", "no deps", "no prerequisites",
	"can start immediately", "independent", "all independent", "fully independent", "standalone",
	"依存なし", "なし", "無", "无", "không", "nenhuma", "nenhum", "ninguna", "ninguno", "aucune", "keine",
}

// softWords turn a dependency into a preference.
var softWords = []string{"recommended", "optional", "optionally", "preferably", "preferred", "ideally", "nice"}

// fillers may stand before an id without saying anything.
var fillers = []string{
	"after", "on", "depends", "depend", "depending", "requires", "require", "required", "needs", "need", "completion",
	"completed", "complete", "of", "blocked", "by", "all", "both", "the", "from", "output", "outputs", "starts", "start",
	"once", "when", "until", "waits", "wait", "for", "follows", "is", "and", "only", "merged", "finished", "can", "be", "must",
}

// previousWords after "all" mean what stands before in the document.
var previousWords = []string{"previous", "prior", "earlier", "preceding", "above", "before"}

// listItem is one entry of a dependency list.
type listItem struct {
	text  string // without notes
	notes string // what stood in parentheses
	off   int    // where it begins in the list
}

// splitList cuts a list at its separators outside parentheses. The slash is left to the caller.
func splitList(s string) []listItem {
	var items []listItem
	depth, start := 0, 0
	cut := func(end, next int) {
		if item, ok := newItem(s[start:end], start); ok {
			items = append(items, item)
		}
		start = next
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
			if n := separator(s, i); n > 0 {
				cut(i, i+n)
				width = n
			}
		}
		i += width
	}
	cut(len(s), len(s))
	return items
}

// separator is the length of the list separator at s[i:], or 0.
func separator(s string, i int) int {
	rest := s[i:]
	for _, sep := range []string{",", ";", "&", "·", "、", "，", "；", "<br>", "<br/>", "<br />"} {
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
	for _, word := range []string{" and ", " AND ", " And ", " und ", " y ", " e ", " et "} {
		if strings.HasPrefix(rest, word) {
			return len(word)
		}
	}
	return 0
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
		text: strings.TrimLeft(strings.TrimRight(text.String(), around), around), notes: strings.TrimSpace(notes.String()), off: off,
	}
	return item, item.text != "" || item.notes != ""
}

// saysNone reports whether a whole list says that there are no dependencies; rest is what follows the word.
func saysNone(s string) (rest string, ok bool) {
	s = strings.ToLower(strings.Trim(s, " \t*`_.\"'[]"))
	if strings.Trim(s, "-–—−") == "" {
		return "", true
	}
	s = strings.TrimSpace(strings.TrimLeft(s, "-–— "))
	for _, word := range noneWords {
		after, found := strings.CutPrefix(s, word)
		if found && (after == "" || !letterOrDigit(after[0]) || after[0] >= 0x80) {
			return after, true
		}
	}
	return "", false
}

// saysAll reads "all", "all previous phases", "every other task".
func saysAll(s string) (previous, ok bool) {
	words := strings.Fields(strings.ToLower(s))
	if len(words) == 0 {
		return false, false
	}
	if words[0] == "everything" {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(previousWords, w) }), true
	}
	if words[0] != "all" && words[0] != "every" {
		return false, false
	}
	for _, w := range words[1:] {
		w = strings.Trim(w, ".:;")
		switch {
		case slices.Contains(previousWords, w):
			previous = true
		case slices.Contains([]string{"other", "others", "the", "of", "else", "complete", "completed", "done", "remaining"}, w):
		case slices.Contains(kinds, w), slices.Contains(kinds, strings.TrimSuffix(w, "s")), w == "stories", w == "above":
		default:
			return false, false
		}
	}
	return previous, true
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
	return len(words) == 1 || slices.Contains(kinds, words[1])
}

// hasSoftWord reports whether a text says that it is only a preference.
func hasSoftWord(s string) bool {
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r < 0x80 && !letter(byte(r)) }) {
		if slices.Contains(softWords, w) {
			return true
		}
	}
	return strings.Contains(s, "望ましい") || strings.Contains(s, "推奨")
}
