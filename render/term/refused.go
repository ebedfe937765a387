package term

import (
	"fmt"

	"autobuild/render"
	"autobuild/state"
)

// refusedDetails shows a phase's changes of tests and gates, in place of the details of other
// failures.
func refusedDetails(d render.Overview, b *box, a state.Attempt, e render.Ending) {
	items := render.ContestItems(render.RefusedChanges(a))
	b.field(2, "Details:", d.Unasked(a))
	for _, item := range items[:min(len(items), render.FoldContested)] {
		b.item(2, "Changed:", item)
	}
	if more := len(items) - render.FoldContested; more > 0 {
		b.row([]span{{fmt.Sprintf("    %s and %d more", b.glyph.More, more), render.Faint}}, span{})
	}
	if a.RefereeLog != "" {
		b.field(2, "Referee's log:", render.InStateDir(e.Dir, a.RefereeLog))
	}
}
