package markdown

import (
	"slices"
	"strings"
	"unicode"

	"autobuild/plan"
)

func numeric(label string) bool { return strings.Trim(label, "0123456789.") == "" }

// overlap reports whether two names share a word that means something.
func overlap(a, b string) bool {
	have := strings.Fields(words(a))
	for _, w := range strings.Fields(words(b)) {
		if len(w) > 3 && slices.Contains(have, w) {
			return true
		}
	}
	return false
}

// normal is the id of a label, or "" when it has none.
func normal(label string) string {
	id, err := plan.NormalID(label)
	if err != nil {
		return ""
	}
	return id
}

// codeLike reports whether a text begins with an id of letters and digits, such as US3.
func codeLike(text string) bool {
	label, _ := idAt(text)
	return label != "" && !numeric(label) && strings.ContainsAny(label, "0123456789")
}

// shortName recognises names such as T5: capitals, then a number. P1 is a priority.
func shortName(label string) bool {
	number := strings.TrimLeft(label, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	capitals := len(label) - len(number)
	return capitals > 0 && capitals <= 3 && number != "" && numeric(number) && label[:capitals] != "P"
}

// byKind reports whether a text names phases by a kind word or a code, not by bare numbers.
func byKind(text string) bool {
	if codeLike(strings.TrimLeft(text, "# ")) || strings.HasPrefix(strings.TrimSpace(text), "#") {
		return true
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\'' || r == '’' || r == '(' }) {
		if kind, _ := plan.SplitKind(word + " 1"); kind != "" || codeLike(word) && word[0] >= 'A' && word[0] <= 'Z' {
			return true
		}
	}
	return false
}

// idPrefix is an id up to its first digit: "REF-" of "REF-001".
func idPrefix(label string) string {
	at := strings.IndexAny(label, "0123456789")
	if at < 0 {
		return "?"
	}
	return strings.ToLower(label[:at])
}

// taskNumber recognises "T001 …".
func taskNumber(raw string) bool {
	raw = strings.TrimLeft(raw, "*")
	return len(raw) >= 4 && raw[0] == 'T' && strings.Trim(raw[1:4], "0123456789") == ""
}

// shortTask recognises the tasks of spec-kit, T001, which are parts of phases.
func shortTask(label string) bool { return len(label) == 4 && taskNumber(label) }

// notUnits are the letters before the numbers of requirements, decisions and questions.
var notUnits = []string{"r", "fr", "fr-", "nfr", "nfr-", "ac", "ac-", "req", "req-", "adr", "adr-", "ktd", "d-", "q", "risk-", "con-", "alt-", "sc-", "uc-", "us-", "kd"}

// unitKinds are the words that head a phase, the larger units first: in a plan of phases that hold
// tasks, the phases are the units.
var unitKinds = []string{
	"phase", "task group", "milestone", "stage", "sprint", "wave", "story", "user story", "epic", "iteration", "implementation unit", "unit",
	"work package", "deliverable",
	"workstream", "step", "session", "group", "task", "work item", "ticket", "issue", "pr", "feature", "increment", "chunk", "batch", "block",
	"module", "track", "goal", "part",
	"section", "teil", "week", "day",
}

// partKinds also name the parts of a product or of a document. Where no box and no dependency
// stands in such sections, phases are a guess.
var partKinds = []string{"deliverable", "feature", "module", "block", "part", "section", "teil"}

// groupKinds only group what is to be done: what stands below them is no part of a phase.
var groupKinds = []string{"chunk", "batch", "block", "module", "track", "goal", "teil", "week", "day"}

// refLike reports whether a text can only be meant as a list of phases, known or not: "Phase 9",
// "4, 12".
func refLike(text string) bool {
	if text == "" {
		return false
	}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		kind, core := plan.SplitKind(part)
		label, rest := idAt(core)
		if label == "" || (kind == "" && (strings.TrimSpace(rest) != "" || len(label) > 4)) {
			return false
		}
	}
	return true
}

// wholeID is an id of which idAt has taken the beginning only: "2 a" is "2a", and "2А" with a
// Cyrillic letter is no "2" but something that is refused by name. Empty where idAt has seen all of
// it.
func wholeID(core, label, rest string) (word, tail string) {
	if label == "" {
		return "", ""
	}
	if first := firstRune(rest); first > 0x7f && unicode.IsLetter(first) {
		end := strings.IndexFunc(rest, unicode.IsSpace)
		if end < 0 {
			end = len(rest)
		}
		return label + rest[:end], rest[end:]
	}
	if letter := strings.TrimSpace(rest); strings.HasPrefix(rest, " ") && len(letter) == 1 && letters(letter) && numeric(label) {
		return core, ""
	}
	return "", ""
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// numbersWhole reports whether a number is that of a whole and not of a part: 2 and 2.0, not 2.1.
func numbersWhole(label string) bool { return !strings.Contains(strings.TrimSuffix(label, ".0"), ".") }
