package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"autobuild/plan"
	"autobuild/plan/markdown/inline"
)

// StatusEmoji are the pictures that stand for a status.
var StatusEmoji = []struct {
	Glyph  string
	status plan.Status
}{
	{"⬜", plan.StatusTodo},
	{"⏳", plan.StatusTodo},
	{"☐", plan.StatusTodo},
	{"🔲", plan.StatusTodo},
	{"⚪", plan.StatusTodo},
	{"📋", plan.StatusTodo},
	{"🔄", plan.StatusInProgress},
	{"🚧", plan.StatusInProgress},
	{"🟡", plan.StatusInProgress},
	{"🔵", plan.StatusInProgress},
	{"🏗", plan.StatusInProgress},
	{"◐", plan.StatusInProgress},
	{"◑", plan.StatusInProgress},
	{"◔", plan.StatusInProgress},
	{"◕", plan.StatusInProgress},
	{"✅", plan.StatusDone},
	{"✔", plan.StatusDone},
	{"☑", plan.StatusDone},
	{"🟢", plan.StatusDone},
	{"✓", plan.StatusDone},
	{"⏸", plan.StatusBlocked},
	{"🔴", plan.StatusBlocked},
	{"⛔", plan.StatusBlocked},
	{"🚫", plan.StatusBlocked},
	{"❌", plan.StatusBlocked},
	{"🛑", plan.StatusBlocked},
	{"⏭", plan.StatusSkipped},
}

// StatusOf reads a status: an emoji anywhere in the text, unless words in brackets behind it say
// otherwise ("✅ (In Progress)"). With wordsToo the text is about nothing else, and its words count
// as well. Such a text that limits what it says, as "done?" does, is that of a phase to be run.
func StatusOf(text string, wordsToo bool) plan.Status {
	status := claimedStatus(text, wordsToo)
	if wordsToo && unsettled(text, status) {
		return limited(status)
	}
	return status
}

// FieldStatus is the status in a field of its own, which may also begin with a count: "2/2 plans".
func FieldStatus(text string) plan.Status {
	if status := StatusOf(text, true); status != plan.StatusUnknown {
		return status
	}
	return countedStatus(text)
}

// Limited reports whether a text states that a phase is done or skipped, but with a limit.
func Limited(text string) bool { return unsettled(text, claimedStatus(text, true)) }

func unsettled(text string, status plan.Status) bool {
	return (status == plan.StatusDone || status == plan.StatusSkipped) &&
		TickStatus(text) == plan.StatusUnknown && !Settled(text, status)
}

// limited is the status of a phase whose status is stated with a limit.
func limited(status plan.Status) plan.Status {
	if status == plan.StatusSkipped {
		return plan.StatusTodo
	}
	return plan.StatusInProgress
}

// claimedStatus is the status with which a text begins.
func claimedStatus(text string, wordsToo bool) plan.Status {
	status := plan.StatusUnknown
	first := len(text)
	if !inline.IsASCII(text) {
		for _, g := range StatusEmoji {
			if at := strings.Index(text, g.Glyph); at >= 0 && at < first {
				first, status = at, g.status
			}
		}
	}
	if status != plan.StatusUnknown {
		if _, bracket, found := strings.Cut(text[first:], "("); found && status == plan.StatusDone {
			if said := wordStatus(bracket); said == plan.StatusInProgress {
				return said
			}
		}
		return status
	}
	if wordsToo {
		if said := TickStatus(text); said != plan.StatusUnknown {
			return said
		}
		return wordStatus(text)
	}
	return status
}

// countedStatus is the status of a text that begins with a count of what is complete: "2/2 plans",
// "60%".
func countedStatus(text string) plan.Status {
	first, rest, _ := strings.Cut(strings.TrimLeft(inline.Plain(text), " "), " ")
	rest = strings.TrimLeft(rest, " (")
	thing, _, _ := strings.Cut(inline.Words(rest), " ")
	if rest != "" && !slices.Contains(countedThings, thing) && wordStatus(rest) != plan.StatusDone {
		return plan.StatusUnknown
	}
	switch fraction(strings.TrimRight(first, ".,;:")) {
	case whole:
		return plan.StatusDone
	case partly:
		return plan.StatusInProgress
	}
	return plan.StatusUnknown
}

// TickStatus is the status of a text that is nothing but a box or an answer: "[x]", "no".
func TickStatus(text string) plan.Status {
	text = strings.ReplaceAll(strings.ToLower(strings.Trim(text, " `*")), `\`, "")
	switch {
	case len(text) == 3 && text[0] == '[' && text[2] == ']':
		return BoxStatus(text[1])
	case text == "yes" || text == "x":
		return plan.StatusDone
	case text == "no":
		return plan.StatusTodo
	}
	return plan.StatusUnknown
}

func wordStatus(text string) plan.Status {
	w := inline.Words(text)
	for _, s := range statusWords {
		if rest, found := strings.CutPrefix(w, s.word); found && ending(s.word, rest) {
			return s.status
		}
	}
	return plan.StatusUnknown
}

// ending reports whether a text that begins with a word goes on as another form of it: "done",
// "terminado". Scripts that write without blanks have no such forms: "取消機能" is a name.
func ending(word, rest string) bool {
	letters := 0
	for _, r := range rest {
		if !unicode.IsLetter(r) {
			break
		}
		letters++
	}
	last, _ := utf8.DecodeLastRuneInString(word)
	return letters == 0 || letters <= 2 && !Ideograph(last)
}

// statusAside is the status that an aside of a title states. A word of status that begins a phrase
// is a part of the name: "Complete the API" states none, "Done on 3 May" and "Done, merged" do.
func statusAside(text string) plan.Status {
	if letters := strings.Trim(text, " `*"); !strings.HasPrefix(letters, "[") &&
		TickStatus(letters) != plan.StatusUnknown {
		return plan.StatusUnknown // "Publish - X" is a name
	}
	status := claimedStatus(text, true)
	if status == plan.StatusUnknown || status == claimedStatus(text, false) {
		return StatusOf(text, true)
	}
	lower := strings.TrimLeftFunc(strings.ToLower(inline.Plain(text)),
		func(r rune) bool { return !unicode.IsLetter(r) })
	for _, s := range statusWords {
		rest, found := strings.CutPrefix(lower, s.word)
		if !found || !ending(s.word, rest) {
			continue
		}
		rest = strings.TrimLeftFunc(rest, unicode.IsLetter)
		next := strings.TrimLeft(rest, " ")
		first, _ := utf8.DecodeRuneInString(next)
		word, _, _ := strings.Cut(next, " ")
		if next == "" || !unicode.IsLetter(first) || slices.Contains(afterStatus, word) {
			return StatusOf(text, true)
		}
		return plan.StatusUnknown
	}
	return StatusOf(text, true)
}

// afterStatus are words that go on behind a status without making a name of it.
var afterStatus = []string{
	"on", "in", "at", "by", "since", "as", "per", "via", "with", "and", "but", "until", "today",
	"now", "already",
	"am", "seit", "bis", "und", "le", "depuis", "et", "el", "desde", "y", "em", "e", "с",
}

// MergeStatus is the status of a phase that two places state: where they differ, a part of it is
// open.
func MergeStatus(a, b plan.Status) plan.Status {
	switch {
	case a == b || b == plan.StatusUnknown:
		return a
	case a == plan.StatusUnknown:
		return b
	}
	return plan.StatusInProgress
}

// IsStatus reports whether a text is a status and says nothing else: "Complete", "✅ Done", "in
// progress".
func IsStatus(text string) bool {
	return StatusOf(text, true) != plan.StatusUnknown &&
		len(strings.Fields(inline.Words(text))) <= 2
}

// WithoutMarks drops the emoji that stand for a status, and keeps those of a name: "✅ Shop 🛒" is
// "Shop 🛒".
func WithoutMarks(s string) string {
	if inline.IsASCII(s) {
		return strings.TrimSpace(s)
	}
	s = strings.ReplaceAll(s, keycap, "")
	for _, g := range StatusEmoji {
		for {
			before, after, found := strings.Cut(s, g.Glyph)
			if !found {
				break
			}
			after = strings.TrimPrefix(after, "\ufe0f")
			if strings.HasSuffix(before, " ") || before == "" {
				after = strings.TrimLeft(after, " ")
			}
			s = before + after
		}
	}
	return strings.TrimSpace(s)
}

// Bare is a title without status emoji and without any emoji before it.
func Bare(s string) string {
	return strings.TrimLeftFunc(WithoutMarks(s), inline.IsBlankOrEmoji)
}

// BoxStatus is the status that the mark of a box stands for.
func BoxStatus(box byte) plan.Status {
	switch box {
	case 'x', 'X':
		return plan.StatusDone
	case '~', '-', '/':
		return plan.StatusInProgress
	case 'b', '!':
		return plan.StatusBlocked
	}
	return plan.StatusTodo
}

// keycap makes a key of the digit before it.
const keycap = "\ufe0f\u20e3"
