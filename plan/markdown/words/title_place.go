package words

import (
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/inline"
)

// withoutPlace takes off what only says where a title stands, before a kind word with an id: the
// date of an entry, the number of a section, or an outer unit. "2026-10-01 Phase 1: Read", "II.
// Phase 1: Read" and "Sprint 3 / Phase 1: Read" all become "Phase 1: Read".
//
// kind and core are those of what is left, as by plan.SplitKind.
func withoutPlace(text string) (rest, kind, core string) {
	kind, core = plan.SplitKind(text)
	if bare := behindPlace(text, kind, core); bare != text {
		text = bare
		kind, core = plan.SplitKind(text)
	}
	return text, kind, core
}

// behindPlace is a text without its place; all of it where it has none.
func behindPlace(text, kind, core string) string {
	if kind == "" {
		if date := inline.LeadingTimestamp(text); date != "" && isUnit(text[len(date):], "") {
			return text[len(date):]
		}
		if rest := behindNumber(text); isUnit(rest, "") {
			return rest
		}
		return text
	}
	label, rest := IDAt(core)
	rest = strings.TrimLeft(rest, " ")
	for _, sep := range []string{"/", ">", "›", "»"} {
		inner, found := strings.CutPrefix(rest, sep)
		if inner = strings.TrimLeft(inner, " "); label == "" || !found || !isUnit(inner, kind) {
			continue
		}
		if within, _ := plan.SplitKind(inner); within == "week" || within == "day" {
			// "Phase 1 / Week 2: Read": when it is done is no unit
			return strings.TrimRight(text[:len(text)-len(rest)], " ") + ": " + inner
		}
		return inner
	}
	return text
}

// behindNumber is what stands behind the number of a section, as in "2. ", "2.1 ", "II. ", "b) "
// and "二、"; empty where a text does not begin with one.
func behindNumber(text string) string {
	if len(text) > 1 && letters(text[:1]) && (text[1] == ')' || text[1] == '.') {
		return strings.TrimLeft(text[2:], " ")
	}
	label, after := IDAt(text)
	if label == "" || !IsNumeric(label) && len(label) > 1 && !roman(label) &&
		!plan.Numeral(inline.FirstRune(label)) {
		return ""
	}
	sep, rest, ok := SplitSeparator(after)
	switch {
	case ok && sep != "(":
		return rest
	case IsNumeric(label) && strings.HasPrefix(after, " "):
		return strings.TrimLeft(after, " ")
	}
	return ""
}

// isUnit reports whether a text is the title of a unit of work of another kind than outer: a kind
// word and an id, and then a separator, a name or the end.
func isUnit(text, outer string) bool {
	kind, core := plan.SplitKind(text)
	if !slices.Contains(UnitKinds, kind) || slices.Contains(PartKinds, kind) || kind == outer ||
		plan.Plural(text) {
		return false
	}
	label, rest := IDAt(core)
	_, _, ok := SplitSeparator(rest)
	return label != "" && (ok || CanBeName(rest))
}
