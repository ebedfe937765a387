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
	return StatusOf(strings.Trim(mark, " :,;—–-"), true) == plan.StatusDone &&
		!strings.ContainsAny(name, "?？") &&
		!slices.ContainsFunc(strings.Fields(inline.Words(name)),
			func(w string) bool { return slices.Contains(limiting, w) })
}
