package sink

import (
	"os"

	"autobuild/internal/call"
	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/plan/markdown"
)

// Changed names the phases that the plan file describes differently by now; empty: none. A ticked
// box is no change. It parses the file only where something else than a mark has changed. It may be
// called from any goroutine.
func (m *PlanMarker) Changed() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	info, err := os.Stat(m.Spec.Path)
	if err == nil && m.seen != nil && os.SameFile(info, m.seen) &&
		info.ModTime().Equal(m.seen.ModTime()) && info.Size() == m.seen.Size() {
		return ""
	}
	m.seen = info
	var now *plan.Plan
	src, err := safefile.ReadNamed(m.Spec.Path, call.MaxPlan)
	if err == nil && m.Marks.Knows(src) {
		return ""
	}
	if err == nil {
		now, err = markdown.Parse(m.Spec.Path, src, markdown.Options{Dialect: m.Spec.Dialect})
	}
	if err == nil && m.Spec.Serialize {
		now, err = plan.Serialize(now)
	}
	if err != nil {
		return "the plan was changed and cannot be read any more: " + text.Clean(err.Error(), 200) +
			"; phases go by what it said at the start"
	}
	var labels []string
	for _, phase := range m.Marks.Plan.Phases() {
		if is, ok := now.Find(phase.ID); !ok || is.Fingerprint != phase.Fingerprint {
			labels = append(labels, phase.Label)
		}
	}
	if len(labels) == 0 && now.Len() == m.Marks.Plan.Len() {
		return ""
	}
	changed := "the plan was changed"
	if len(labels) > 0 {
		changed += " at " + text.JoinSome(labels, 3)
	}
	return changed + "; phases go by what it said at the start"
}
