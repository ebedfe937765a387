package words

import (
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/inline"
)

// MarkedDone reports whether a reference by number carries its own mark of being done: "Phase 4 ✅",
// "Phase 4 Login (done)", "Milestone 2: completed". A mark with a limit is none: "Phase 4 (done?)".
func MarkedDone(reference string) bool {
	text := strings.TrimSpace(inline.Plain(reference))
	_, core := plan.SplitKind(Bare(text))
	label, rest := IDAt(core)
	if !strings.ContainsAny(label, "0123456789") {
		return false
	}
	name, mark := "", rest
	for _, g := range StatusEmoji {
		if before, after, found := strings.Cut(text, g.Glyph); found {
			name, mark = before, g.Glyph+after
			if strings.TrimSpace(before) == "" {
				name, mark = rest, g.Glyph
			}
			break
		}
	}
	if before, note, found := strings.Cut(rest, "("); found && mark == rest {
		name, mark = before, strings.TrimRight(note, ") ")
	}
	return !qualifies(name) && (StatusOf(strings.Trim(mark, " :,;—–-"), true) == plan.StatusDone ||
		!qualifies(mark) && saysDone(mark))
}

// qualifies reports whether a text questions or limits what it states.
func qualifies(text string) bool {
	return strings.ContainsAny(text, "?？") ||
		slices.ContainsFunc(strings.Fields(inline.Words(text)),
			func(w string) bool { return slices.Contains(limiting, w) })
}

// saysDone reports whether a clause of a note ends with a word for done: "design completed - PASS".
func saysDone(note string) bool {
	clauses := strings.FieldsFunc(note, func(r rune) bool { return strings.ContainsRune(",;:—–-", r) })
	return slices.ContainsFunc(clauses, func(clause string) bool {
		fields := strings.Fields(inline.Words(clause))
		return len(fields) > 0 && wordStatus(fields[len(fields)-1]) == plan.StatusDone
	})
}
