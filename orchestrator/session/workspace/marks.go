package workspace

import (
	"autobuild/plan"
	"autobuild/plan/markdown"
)

// Marks ticks phases in the text of a plan. Copies share what was parsed.
type Marks struct {
	Plan   *plan.Plan
	marker *markdown.Marker
}

// NewMarks ticks phases of p with the marker of its text.
func NewMarks(p *plan.Plan, m *markdown.Marker) Marks { return Marks{Plan: p, marker: m} }

// Text is the text of Plan.
func (m Marks) Text() string { return m.marker.Start }

// Done returns the edit that ticks phases.
func (m Marks) Done(phases ...string) func([]byte) ([]byte, error) {
	return func(src []byte) ([]byte, error) { return m.marker.Done(src, phases...) }
}

// Phase is Done for one phase.
func (m Marks) Phase(phase string) func([]byte) ([]byte, error) { return m.Done(phase) }

// Knows reports whether a text is that of the start, but for ticks.
func (m Marks) Knows(src []byte) bool { return m.marker.Knows(src) }
