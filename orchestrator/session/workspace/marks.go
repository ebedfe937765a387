package workspace

import (
	"autobuild/plan"
	"autobuild/plan/markdown"
)

// Marks ticks phases in the text of a plan.
type Marks struct{ Plan *plan.Plan }

// Done returns the edit that ticks a phase.
func (m Marks) Done(phase string) func([]byte) ([]byte, error) {
	return func(src []byte) ([]byte, error) {
		return markdown.Mark(src, m.Plan, phase, plan.StatusDone)
	}
}
