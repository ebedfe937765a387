package document

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"autobuild/plan"
	"autobuild/plan/markdown/inline"
)

// Title is the name of a phase in a heading, a row or an item, split into its parts.
type Title struct {
	Kind  string // as plan.SplitKind names it; empty: the id stands alone
	Label string // the id as written, without the kind word; empty: it has none
	Name  string
	Loose bool // only a space stands between the id and the name

	Guessed bool // the kind is a word that the table of words does not have

	Status   plan.Status // what words or pictures beside the name say
	Stated   bool        // it says a status
	Needs    string      // "after 1-3" of "Name (after 1-3)"
	Beside   string
	Estimate string
}

// ReadTitle reads "Phase 2A: Name", "T1 — Name ✅", "## 3. Phase 1: Name (depends on 2)".
func ReadTitle(raw string) Title {
	return readTitle(inline.Plain(strings.ReplaceAll(raw, "~~", "")), inline.IsStrikethrough(raw))
}

func readTitle(text string, struck bool) (t Title) {
	bare := Bare(text)
	for _, marks := range []string{"[]", "()"} { // "[US1] Name", "(1) Name"
		inner, rest, ok := strings.Cut(strings.TrimPrefix(bare, marks[:1]), marks[1:])
		if ok && strings.HasPrefix(bare, marks[:1]) {
			if _, core := plan.SplitKind(inner); ordinal(core) && (marks == "()" || len(inner) > 1) {
				bare = inner + ": " + strings.TrimSpace(rest)
			}
		}
	}
	if roman, rest, ok := strings.Cut(bare, ". "); ok && strings.Trim(roman, "IVX") == "" &&
		ordinalTitle(rest) {
		bare = rest // "II. Phase 1: Name"
	}
	kind, core := plan.SplitKind(bare)
	label, rest := IDAt(core, kind != "")
	if len(bare) > 1 && bare[1] == ')' && bare[0] >= 'a' && bare[0] <= 'z' {
		label, rest = bare[:1], bare[1:] // "a) Name"
	}
	if label == "" {
		return Title{}
	}
	name, separated := cutSeparator(rest)
	if rest != "" && !separated {
		at, _, _ := FindStatus(name)
		apart := rest[0] == ' ' || strings.HasPrefix(rest, "\u3000")
		if !apart || kind == "" && !coded(label) && at != 0 &&
			!unicode.IsUpper(inline.FirstRune(name)) && !strings.HasPrefix(bare, "#") {
			return Title{} // "2 weeks"
		}
	}
	counts := isNumber(strings.ReplaceAll(label, ".", "")) || len(label) == 1 && label[0] >= 'a'
	if kind == "" && counts && ordinalTitle(name) {
		return readTitle(name, struck) // "3. Phase 1: Setup"
	}
	t = Title{Kind: kind, Label: label, Loose: !separated && strings.TrimSpace(rest) != ""}
	t.asides(name)
	if t.Status == plan.StatusUnknown {
		t.Status = PictureStatus(text)
		t.Stated = t.Status != plan.StatusUnknown
	}
	if struck {
		t.Status, t.Stated = plan.StatusSkipped, true
	}
	return t
}

// ordinalTitle reports whether a name begins with a kind word and an ordinal of its own.
func ordinalTitle(name string) bool {
	kind, core := plan.SplitKind(name)
	label, rest := IDAt(core, true)
	_, separated := cutSeparator(rest)
	return kind != "" && label != "" && separated
}

// asides cuts what a title says beside its name off it: a status, dependencies, an estimate.
func (t *Title) asides(name string) {
	name = strings.TrimSpace(name)
	if at, size, status := FindStatus(name); at == 0 && size == len(strings.TrimRight(name, " .!")) {
		t.Status, t.Stated = status, true // "Step 1 completed"
		return
	}
	if after, found := strings.CutPrefix(name, "of "); found {
		name = strings.TrimLeft(strings.TrimLeft(after, "0123456789"), " :.—–-") // "Task 1 of 5: Name"
	}
	if inner, rest, ok := strings.Cut(strings.TrimPrefix(name, "("), "):"); ok && name[0] == '(' && t.aside(inner) {
		name = strings.TrimSpace(rest) // "Phase 4 (after Phase 1): Name"
	}
	const most = 8 // asides
	for range most {
		cut, aside := lastAside(name)
		if aside == "" || !t.aside(aside) {
			break
		}
		name = strings.TrimRight(cut, " \t·|,;—–-")
	}
	t.Name = strings.TrimSpace(strings.Trim(Bare(name), "—–-·|:* "))
	if inner, ok := strings.CutPrefix(t.Name, "("); ok && strings.Count(t.Name, "(") == 1 {
		if inner, ok = strings.CutSuffix(inner, ")"); ok {
			t.Name = inner
		}
	}
}

// lastAside cuts off the brackets at the end of a name, or the text behind its last dash or bar.
func lastAside(name string) (before, aside string) {
	name = strings.TrimRightFunc(name, inline.IsBlankOrEmoji)
	last, size := utf8.DecodeLastRuneInString(name)
	if open := map[rune]string{')': "(", '）': "（", ']': "["}[last]; open != "" {
		if at := strings.LastIndex(name, open); at >= 0 {
			return name[:at], name[at+len(open) : len(name)-size]
		}
	}
	best := -1
	width := 0
	for _, mark := range []string{"--", " — ", " – ", " - ", " · ", " | ", ", ", ": "} {
		if at := strings.LastIndex(name, mark); at > best {
			best, width = at, len(mark)
		}
	}
	if best < 0 {
		if Bare(name) == name || PictureStatus(name) == plan.StatusUnknown {
			return name, ""
		}
		for at, r := range name { // "✅ COMPLETED" without a mark before it
			if inline.IsEmoji(r) {
				return name[:at], name[at:]
			}
		}
		return name, ""
	}
	return name[:best], name[best+width:]
}

// aside reads one aside and reports whether it is no part of the name.
func (t *Title) aside(text string) bool {
	if before, after, ok := strings.Cut(text, ","); ok {
		own := *t
		if own.aside(strings.TrimSpace(before)) && own.aside(strings.TrimSpace(after)) {
			*t = own
			return true
		}
	}
	lower := strings.ToLower(text)
	digits := strings.ContainsAny(text, "0123456789") || strings.ContainsFunc(text, plan.Numeral)
	for _, row := range []string{"needs", "needs weak"} {
		if rest, ok := plan.CutWord(row, strings.TrimLeft(text, " ")); ok && t.Needs == "" {
			if rest = strings.Trim(rest, " :"); rest != "" && (digits || plan.SaysNone(rest) || len(rest) < 3) {
				t.Needs = rest
				return true
			}
		}
	}
	if at, size := plan.FindWord("order", lower); at > 0 && digits && len(lower) == len(text) && strings.Trim(text[at+size:], " .") == "" {
		t.Needs = text[:at] // "1の後"
		return true
	}
	if e := Estimate(text); e.Weight > 0 && digits && t.Estimate == "" && len(strings.Fields(text)) == 2 &&
		hours[strings.ToLower(strings.Fields(text)[1])] > 0 {
		t.Estimate = text
		return true
	}
	if rest, ok := plan.CutWord("beside", text); ok && digits {
		t.Beside = strings.Trim(rest, " :")
		return true
	}
	if plan.SaysNone(text) && strings.Contains(lower, "depend") {
		t.Needs = text
		return true
	}
	if status := StatusOf(text); status != plan.StatusUnknown && states(text) {
		t.Status, t.Stated = status, true
		return true
	}
	for _, word := range []string{"est.", "est", "estimate", "estimated"} {
		if rest, ok := strings.CutPrefix(lower, word); ok && digits {
			t.Estimate = strings.Trim(rest, " :.")
			return true
		}
	}
	return strings.HasPrefix(lower, "priority") || strings.HasPrefix(lower, "checkpoint:")
}

// states reports whether an aside says a status and no more: "Done on 3 May", but not "Complete the
// API".
func states(text string) bool {
	lower := strings.TrimLeft(strings.ToLower(Bare(text)), "*_ ")
	at, size, _ := FindStatus(lower)
	if at != 0 {
		return PictureStatus(text) != plan.StatusUnknown || strings.HasPrefix(strings.TrimSpace(text), "[")
	}
	rest := strings.TrimSpace(lower[size:])
	word, _, _ := strings.Cut(rest, " ")
	return rest == "" || !unicode.IsLetter(inline.FirstRune(rest)) || plan.IsWord("after status", word)
}

// IDAt is the id that a text begins with, and what follows it. Behind a kind word letters alone can
// be one: "Phase B", "Phase II".
func IDAt(s string, kinded bool) (label, rest string) {
	if inner, found := strings.CutPrefix(s, "#"); found {
		s = inner // "#241 - Name"
	}
	end := strings.IndexFunc(s, func(r rune) bool {
		return !plan.Numeral(r) && (r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r)) &&
			!strings.ContainsRune("_.-–", r)
	})
	if end < 0 {
		end = len(s)
	}
	label = strings.TrimRight(s[:end], ".-–_")
	if file, found := strings.CutSuffix(label, ".md"); found && isNumber(file) {
		return file, s[len(label):] // "001.md - Name"
	}
	const longest = 48 // bytes
	if label == "" || len(label) > longest || !isID(label, kinded) {
		return "", s
	}
	return label, s[len(label):]
}

// isID reports whether a word can be an id: a number, "2A", a code such as "T1" or "story-0058-1",
// one capital; behind a kind word also "II" and "one". A date is none, nor is "2fa".
func isID(label string, kinded bool) bool {
	first := label[0]
	digits := strings.ContainsAny(label, "0123456789") || strings.ContainsFunc(label, plan.Numeral)
	letters := strings.TrimRight(label, "0123456789.-")
	upper := first >= 'A' && first <= 'Z'
	switch {
	case strings.ContainsRune("_.-–", inline.FirstRune(label)):
		return false
	case digits && (first >= '0' && first <= '9' || first >= utf8.RuneSelf):
		date := len(label) == len("2006-01-02") && label[4] == '-' &&
			isNumber(strings.ReplaceAll(label, "-", ""))
		tail := strings.TrimLeft(label, "0123456789.-")
		word := len(tail) > 1 && first < utf8.RuneSelf && !strings.ContainsAny(tail, "0123456789")
		return !date && (kinded || !word)
	case digits:
		return kinded || upper && strings.ToUpper(letters) == letters || len(letters) == 1 ||
			strings.Contains(label, "-")
	case len(label) == 1:
		return upper
	}
	return kinded && (strings.Trim(label, "IVX") == "" || numberWord(label))
}

func numberWord(s string) bool {
	switch strings.ToLower(s) {
	case "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
		"eleven", "twelve":
		return true
	}
	return false
}

func ordinal(s string) bool {
	label, _ := IDAt(s, true)
	return label != ""
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }

// coded reports whether an id needs no mark behind it: "T001", "2.4".
func coded(label string) bool { return !isNumber(label) && len(label) > 1 }

// cutSeparator cuts the mark between an id and a name off.
func cutSeparator(rest string) (name string, ok bool) {
	trimmed := strings.TrimLeft(rest, " \t\u00a0\u3000")
	if trimmed == "" {
		return "", true
	}
	for _, mark := range []string{
		":", "：", ".", "．", ")", "）", "—", "–", "-", "|", "·", "、", ",", "/", "→", "=", "]",
	} {
		if after, found := strings.CutPrefix(trimmed, mark); found {
			return strings.TrimLeft(strings.TrimLeft(after, "-:"), " \t"), true
		}
	}
	for _, open := range []string{"(", "（", "["} {
		if strings.HasPrefix(trimmed, open) {
			return trimmed, true
		}
	}
	if inline.IsEmoji(inline.FirstRune(trimmed)) {
		return trimmed, true
	}
	return trimmed, false
}
