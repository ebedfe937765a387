package render

import (
	"cmp"
	"fmt"
	"strings"

	"autobuild/failure"
	"autobuild/internal/text"
	"autobuild/state"
)

// Replan is the paragraph that recommends to change the plan. It is "" where the decision about the
// phase does not ask for that. autobuild never changes a plan by itself.
func Replan(r *state.Run, p *state.Phase) string {
	last, ok := p.Last()
	if !ok || p.Status != state.Failed || last.Failure == nil || last.Decision == nil ||
		!last.Decision.Propose && last.Decision.Action != failure.Replan {
		return ""
	}
	f := last.Failure
	change := "say in the phase's tasks or criteria what counts, or split the phase"
	switch {
	case len(f.Conflicts) > 0:
		c := f.Conflicts[0]
		other := c.Other
		if o, known := r.Find(c.Other); known {
			other = o.Label
		}
		change = fmt.Sprintf("let the phase depend on phase %s, which changed %s too",
			text.Clean(other, 40), text.Clean(c.File, 120))
	case f.Type == failure.ContextOverflow, f.Type == failure.Timeout, f.Type == failure.TaskIncomplete:
		change = "split the phase"
	}
	_, reason, _ := strings.Cut(last.Decision.Rationale, "; a change of the plan is recommended: ")
	return fmt.Sprintf("The plan seems to be at fault (%s): %s. The plan stays as it is.",
		cmp.Or(text.Clean(reason, 300), "class "+string(f.Class.Class)), change)
}
