package markdown

import (
	"strings"

	"autobuild/plan"
)

// glyphs are the pictures that stand for a status.
var glyphs = []struct {
	glyph  string
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

// statusWords are the beginnings of what people write. The first that fits decides.
var statusWords = []struct {
	word   string
	status plan.Status
}{
	{"not started", plan.StatusTodo},
	{"not yet", plan.StatusTodo},
	{"to do", plan.StatusTodo},
	{"todo", plan.StatusTodo},
	{"pending", plan.StatusTodo},
	{"planned", plan.StatusTodo},
	{"open", plan.StatusTodo},
	{"backlog", plan.StatusTodo},
	{"queued", plan.StatusTodo},
	{"ready", plan.StatusTodo},
	{"in progress", plan.StatusInProgress},
	{"in-progress", plan.StatusInProgress},
	{"in_progress", plan.StatusInProgress},
	{"wip", plan.StatusInProgress},
	{"started", plan.StatusInProgress},
	{"ongoing", plan.StatusInProgress},
	{"partial", plan.StatusInProgress},
	{"active", plan.StatusInProgress},
	{"implementing", plan.StatusInProgress},
	{"in review", plan.StatusInProgress},
	{"review", plan.StatusInProgress},
	{"doing", plan.StatusInProgress},
	{"implemented needs", plan.StatusInProgress},
	{"em andamento", plan.StatusInProgress},
	{"complete", plan.StatusDone},
	{"done", plan.StatusDone},
	{"finished", plan.StatusDone},
	{"shipped", plan.StatusDone},
	{"merged", plan.StatusDone},
	{"implemented", plan.StatusDone},
	{"concluíd", plan.StatusDone},
	{"concluid", plan.StatusDone},
	{"hoàn thành", plan.StatusDone},
	{"完了", plan.StatusDone},
	{"erledigt", plan.StatusDone},
	{"terminé", plan.StatusDone},
	{"passed", plan.StatusDone},
	{"blocked", plan.StatusBlocked},
	{"on hold", plan.StatusBlocked},
	{"waiting", plan.StatusBlocked},
	{"paused", plan.StatusBlocked},
	{"failed", plan.StatusBlocked},
	{"skipped", plan.StatusSkipped},
	{"deferred", plan.StatusSkipped},
	{"dropped", plan.StatusSkipped},
	{"cancelled", plan.StatusSkipped},
	{"canceled", plan.StatusSkipped},
	{"obsolete", plan.StatusSkipped},
	{"won't do", plan.StatusSkipped},
	{"postponed", plan.StatusSkipped},
}

// statusOf reads a status: a picture anywhere, corrected by words in brackets behind it ("✅ (In Progress)"),
// or, when wordsToo says that the text is about nothing else, its words.
func statusOf(text string, wordsToo bool) plan.Status {
	status := plan.StatusUnknown
	first := len(text)
	if !isASCII(text) {
		for _, g := range glyphs {
			if at := strings.Index(text, g.glyph); at >= 0 && at < first {
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
		return wordStatus(text)
	}
	return status
}

func wordStatus(text string) plan.Status {
	w := words(text)
	for _, s := range statusWords {
		if strings.HasPrefix(w, s.word) {
			return s.status
		}
	}
	return plan.StatusUnknown
}
