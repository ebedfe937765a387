package document

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"autobuild/plan"
	"autobuild/plan/markdown/inline"
)

// Pictures stand for statuses.
var Pictures = []struct {
	Glyph  string
	Status plan.Status
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

// rows are the rows of the table of words, with what each says. Where words of two begin a text,
// the longer counts: "not started" is not "started".
var rows = []struct {
	Row    string
	Status plan.Status
}{
	{"status todo", plan.StatusTodo},
	{"status doing", plan.StatusInProgress},
	{"status done", plan.StatusDone},
	{"status blocked", plan.StatusBlocked},
	{"status skipped", plan.StatusSkipped},
}

// PictureStatus is the status of the first picture in a text.
func PictureStatus(text string) plan.Status {
	status, first := plan.StatusUnknown, len(text)
	if inline.IsASCII(text) {
		return status
	}
	for _, p := range Pictures {
		if at := strings.Index(text, p.Glyph); at >= 0 && at < first {
			status, first = p.Status, at
		}
	}
	return status
}

// FindStatus is the place and the length of the first word for a status in a text.
func FindStatus(text string) (at, size int, status plan.Status) {
	lower := strings.ToLower(text)
	if at = -1; len(lower) != len(text) {
		return at, 0, plan.StatusUnknown
	}
	for _, r := range rows {
		k, n := plan.FindWord(r.Row, lower)
		if k >= 0 && (at < 0 || k < at || k == at && n > size) {
			at, size, status = k, n, r.Status
		}
	}
	return at, size, status
}

// StatusOf reads a text that is about nothing but a status: "✅ Done", "In Progress", "[x]", "2/3".
// A status with a limit, such as "done?" or "done except docs", is that of a phase to be run.
func StatusOf(text string) plan.Status {
	text = strings.TrimSpace(inline.Plain(text))
	if status := tick(text); status != plan.StatusUnknown {
		return status
	}
	picture := PictureStatus(text)
	words := strings.ToLower(Bare(text))
	words = strings.TrimLeft(words, "(*_- [")
	word, rest := plan.StatusUnknown, words
	at, size, status := FindStatus(words)
	if at == 0 && !isName(words[:size], words[size:]) {
		word, rest = status, words[size:]
	}
	first := picture
	if first == plan.StatusUnknown || word != plan.StatusUnknown {
		first = word
	}
	if first == plan.StatusUnknown {
		return counted(words)
	}
	if inner, found := strings.CutPrefix(strings.TrimSpace(Bare(text)), "("); found && picture == plan.StatusDone {
		if own := StatusOf(strings.TrimSuffix(inner, ")")); own != plan.StatusUnknown { // "✅ (In Progress)"
			return own
		}
	}
	if word == plan.StatusUnknown { // a picture, and what stands beside it outside of brackets
		rest, _, _ = strings.Cut(Bare(text), "(")
	}
	if limited(rest) {
		switch first {
		case plan.StatusDone:
			return plan.StatusInProgress
		case plan.StatusSkipped:
			return plan.StatusTodo
		}
	}
	return first
}

// isName reports whether a word of a script without blanks goes on: 取消機能 is a name.
func isName(word, rest string) bool {
	last, _ := utf8.DecodeLastRuneInString(word)
	next := inline.FirstRune(rest)
	return last > 0x2e80 && next > 0x2e80 && unicode.IsLetter(next)
}

// limited reports whether what follows a status takes a part of it back.
func limited(rest string) bool {
	if strings.ContainsAny(rest, "?？") {
		return true
	}
	for i, word := range strings.FieldsFunc(rest, func(r rune) bool {
		return !unicode.IsLetter(r) && r != '\''
	}) {
		if plan.IsWord("limit", word) {
			return true
		}
		if i > 12 {
			break
		}
	}
	return false
}

// tick is the status of a box, "[x]".
func tick(text string) plan.Status {
	text = strings.ReplaceAll(strings.Trim(text, " `*"), `\`, "")
	if len(text) == 3 && text[0] == '[' && text[2] == ']' {
		return BoxStatus(text[1])
	}
	if strings.EqualFold(text, "x") {
		return plan.StatusDone
	}
	return plan.StatusUnknown
}

// counted is the status of a text that begins with a count, "2/3 plans", or a share, "100%".
func counted(text string) plan.Status {
	first, _, _ := strings.Cut(text, " ")
	first = strings.Trim(first, "().,;")
	done, all, found := strings.Cut(first, "/")
	if share, ok := strings.CutSuffix(first, "%"); ok {
		done, all, found = share, "100", true
	}
	n, err := strconv.Atoi(done)
	of, wrong := strconv.Atoi(all)
	switch {
	case !found || err != nil || wrong != nil || n > of || of == 0:
		return plan.StatusUnknown
	case n == of:
		return plan.StatusDone
	case n == 0:
		return plan.StatusTodo
	}
	return plan.StatusInProgress
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

// Bare is a title without status pictures, and without any emoji before it.
func Bare(s string) string {
	if inline.IsASCII(s) {
		return strings.TrimSpace(s)
	}
	const keycap = "\ufe0f\u20e3"
	s = strings.ReplaceAll(s, keycap, "")
	for _, p := range Pictures {
		for {
			before, after, found := strings.Cut(s, p.Glyph)
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
	return strings.TrimLeftFunc(strings.TrimSpace(s), inline.IsBlankOrEmoji)
}

// estimates: the weights of shirt sizes, and units of time in hours; a working day has eight.
var (
	sizes = map[string]float64{
		"xs": 1, "s": 2, "m": 3, "l": 5, "xl": 8, "xxl": 13,
		"tiny": 1, "small": 2, "low": 2, "medium": 3, "large": 5, "high": 5, "trivial": 1,
	}
	hours = map[string]float64{
		"m": 1.0 / 60, "min": 1.0 / 60, "mins": 1.0 / 60, "minute": 1.0 / 60, "minutes": 1.0 / 60,
		"h": 1, "hr": 1, "hrs": 1, "hour": 1, "hours": 1, "d": 8, "day": 8, "days": 8, "w": 40,
		"week": 40, "weeks": 40,
	}
)

// Estimate reads "5", "5 points", "2-4h", "M". A range weighs as much as its middle.
func Estimate(text string) plan.Estimate {
	text = strings.Trim(inline.WithoutEmoji(inline.Plain(text)), "~≈ ")
	if strings.Trim(text, "-–— ") == "" {
		return plan.Estimate{}
	}
	e := plan.Estimate{Text: text}
	parts := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r == ' ' || strings.ContainsRune("–—-().,", r) && r != '.'
	})
	var numbers []float64
	unit := 1.0
	for i, part := range parts {
		if i == 0 && sizes[part] > 0 {
			e.Weight = sizes[part]
			return e
		}
		end := strings.IndexFunc(part, func(r rune) bool { return !unicode.IsDigit(r) && r != '.' })
		if end < 0 {
			end = len(part)
		}
		if n, err := strconv.ParseFloat(part[:end], 64); err == nil && len(numbers) < 2 && end < 10 {
			numbers = append(numbers, n)
			part = part[end:]
		}
		if len(numbers) > 0 && hours[part] > 0 {
			unit = hours[part]
			break
		}
		if len(numbers) > 0 && part != "" && part != "to" {
			break
		}
	}
	if len(numbers) > 0 {
		e.Weight = unit * (numbers[0] + numbers[len(numbers)-1]) / 2
	}
	return e
}

// Class is the topic of a part of a section.
type Class int

// The classes. A topic of ClassNone is about the work itself.
const (
	ClassNone Class = iota
	ClassCriteria
	ClassFiles
	ClassGates  // commands by name: "Quality gates"
	ClassVerify // a heading that often holds prose as well: "Verification"
	ClassSetup
	ClassCommit
	ClassDepends
	ClassOther // a label that ends what the one before began
)

// ClassOf is the class that a sub-heading or a label announces.
func ClassOf(name string) Class {
	name = inline.Words(name)
	if after, step := strings.CutPrefix(name, "step "); step {
		name = strings.TrimLeft(after, "0123456789. ") // "Step 5: Commit"
	}
	if name == "" {
		return ClassNone
	}
	has := func(row string) bool {
		return slices.ContainsFunc(plan.Words(row), func(w string) bool { return strings.Contains(name, w) })
	}
	first, _, _ := strings.Cut(name, " ")
	switch {
	case has("criteria") || plan.IsWord("criteria only", name) || plan.IsWord("criteria only", first) && first == "dod":
		return ClassCriteria
	case has("commit") || plan.IsWord("commit only", name):
		return ClassCommit
	case has("gates") || plan.IsWord("gates only", name):
		return ClassGates
	case plan.IsWord("verify only", name):
		return ClassVerify
	case plan.IsWord("setup only", name):
		return ClassSetup
	case plan.IsWord("files only", name):
		return ClassFiles
	case plan.IsWord("needs", name):
		return ClassDepends
	}
	return ClassNone
}

// IsAside reports whether a heading without a kind word begins a part of the document that holds no
// phases: a word for such a part begins or ends it, what stands in brackets aside.
func IsAside(heading string) bool {
	if before, _, found := strings.Cut(heading, "("); found {
		heading = before
	}
	text := strings.Fields(inline.Words(strings.TrimLeft(Bare(inline.Plain(heading)), "0123456789.§ ")))
	for n := 1; n <= min(3, len(text)); n++ {
		if plan.IsWord("aside", strings.Join(text[:n], " ")) ||
			plan.IsWord("aside", strings.Join(text[len(text)-n:], " ")) {
			return true
		}
	}
	return ClassOf(heading) == ClassCriteria || slices.ContainsFunc(plan.Words("aside"), func(w string) bool {
		last, _ := utf8.DecodeLastRuneInString(w)
		return last > 0x2e80 && strings.Contains(heading, w)
	})
}
