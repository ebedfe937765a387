package words

import (
	"slices"
	"strings"
	"unicode"

	"autobuild/plan"
	"autobuild/plan/markdown/inline"
)

// IsNumeric reports whether a label has no characters but digits and dots.
func IsNumeric(label string) bool { return strings.Trim(label, "0123456789.") == "" }

// ShareWord reports whether two names share a word that means something.
func ShareWord(a, b string) bool {
	have := strings.Fields(inline.Words(a))
	for _, w := range strings.Fields(inline.Words(b)) {
		if len(w) > 3 && slices.Contains(have, w) {
			return true
		}
	}
	return false
}

// Alike reports whether two names may be about the same: words of both begin alike, or they share
// two ideographs in a row.
func Alike(a, b string) bool {
	parts := func(s string) []string {
		return strings.FieldsFunc(inline.Words(s),
			func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	other := parts(b)
	for _, x := range parts(a) {
		if slices.ContainsFunc(other, func(y string) bool { return beginAlike(x, y) }) {
			return true
		}
		previous := rune(0)
		for _, r := range x {
			if Ideograph(previous) && Ideograph(r) && strings.Contains(b, string(previous)+string(r)) {
				return true
			}
			previous = r
		}
	}
	return false
}

// beginAlike reports whether two words share their beginning: "Env" and "Environment", "Writing"
// and "Write".
func beginAlike(x, y string) bool {
	const least, most = 3, 4 // letters
	a, b := []rune(x), []rune(y)
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	if x == y && len(a) > 1 {
		return true // "UI"
	}
	return n >= most || n >= least && n == min(len(a), len(b))
}

// NormalID is the id of a label, or "" when it has none.
func NormalID(label string) string {
	id, err := plan.NormalID(label)
	if err != nil {
		return ""
	}
	return id
}

// CodeLike reports whether a text begins with an id of letters and digits, such as US3.
func CodeLike(text string) bool {
	label, _ := IDAt(text)
	return label != "" && !IsNumeric(label) && strings.ContainsAny(label, "0123456789")
}

// IsShortName recognises names such as T5: capitals, then a number. P1 is a priority.
func IsShortName(label string) bool {
	number := strings.TrimLeft(label, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	capitals := len(label) - len(number)
	return capitals > 0 && capitals <= 3 && number != "" && IsNumeric(number) &&
		label[:capitals] != "P"
}

// NamesByKind reports whether a text names phases by a kind word or a code, not by bare numbers.
func NamesByKind(text string) bool {
	if CodeLike(strings.TrimLeft(text, "# ")) || strings.HasPrefix(strings.TrimSpace(text), "#") {
		return true
	}
	for _, word := range strings.FieldsFunc(text,
		func(r rune) bool { return r == ' ' || r == '\'' || r == '’' || r == '(' }) {
		if kind, _ := plan.SplitKind(word + " 1"); kind != "" || CodeLike(word) && word[0] >= 'A' &&
			word[0] <= 'Z' {
			return true
		}
	}
	return false
}

// IDPrefix is an id up to its first digit: "REF-" of "REF-001".
func IDPrefix(label string) string {
	at := strings.IndexAny(label, "0123456789")
	if at < 0 {
		return "?"
	}
	return strings.ToLower(label[:at])
}

// IsTaskNumber recognises "T001 …".
func IsTaskNumber(raw string) bool {
	raw = strings.TrimLeft(raw, "*")
	return len(raw) >= 4 && raw[0] == 'T' && strings.Trim(raw[1:4], "0123456789") == ""
}

// IsShortTask recognises the tasks of spec-kit, T001, which are parts of phases.
func IsShortTask(label string) bool { return len(label) == 4 && IsTaskNumber(label) }

// NotPhasePrefixes are the letters before the numbers of requirements, decisions and questions.
var NotPhasePrefixes = []string{
	"r", "fr", "fr-", "nfr", "nfr-", "ac", "ac-", "req", "req-", "adr", "adr-",
	"ktd", "d-", "q", "risk-", "con-", "alt-", "sc-", "uc-", "us-", "kd",
}

// UnitKinds are the words that head a phase, the larger units first: in a plan of phases that hold
// tasks, the phases are the units.
var UnitKinds = []string{
	"phase", "task group", "milestone", "stage", "sprint", "wave", "story", "user story", "epic",
	"iteration", "implementation unit", "unit",
	"work package", "deliverable",
	"workstream", "step", "session", "group", "task", "work item", "ticket", "issue", "pr",
	"feature",
	"increment", "chunk", "batch", "block",
	"module", "track", "goal", "part",
	"section", "teil", "week", "day",
}

// PartKinds also name the parts of a product or of a document. Where no box and no dependency
// stands in such sections, phases are a guess.
var PartKinds = []string{"deliverable", "feature", "module", "block", "part", "section", "teil"}

// GroupKinds only group what is to be done: what stands below them is no part of a phase.
var GroupKinds = []string{
	"chunk", "batch", "block", "module", "track", "goal", "teil", "week",
	"day",
}

// RefLike reports whether a text can only be meant as a list of phases, known or not: "Phase 9",
// "4, 12".
func RefLike(text string) bool {
	if text == "" {
		return false
	}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		kind, core := plan.SplitKind(part)
		label, rest := IDAt(core)
		if label == "" || (kind == "" && (strings.TrimSpace(rest) != "" || len(label) > 4)) {
			return false
		}
	}
	return true
}

// wholeID extends an id that IDAt cut short: "2 a" is "2a", and "2А" with a Cyrillic letter is kept
// whole, so that the error can show it. It is empty where IDAt read all of the id.
func wholeID(core, label, rest string) (word, tail string) {
	if label == "" {
		return "", ""
	}
	if first := inline.FirstRune(rest); first > 0x7f && unicode.IsLetter(first) {
		end := strings.IndexFunc(rest, unicode.IsSpace)
		if end < 0 {
			end = len(rest)
		}
		return label + rest[:end], rest[end:]
	}
	if letter := strings.TrimSpace(rest); strings.HasPrefix(rest, " ") && len(letter) == 1 &&
		letters(letter) && IsNumeric(label) {
		return core, ""
	}
	return "", ""
}

// Prefixed is prefix and text, or nothing when the text is empty.
func Prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// IsTopNumber reports whether a number is that of a whole and not of a part: 2 and 2.0, not 2.1.
func IsTopNumber(label string) bool {
	return !strings.Contains(strings.TrimSuffix(label, ".0"), ".")
}
