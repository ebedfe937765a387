package place

import (
	"os"

	"autobuild/internal/call"
	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/plan/markdown"
)

// planChanged names the phases that the plan file describes differently by now. A ticked box is no
// change.
func (p *Place) planChanged() string {
	from := p.Spec.Plan
	info, err := os.Stat(from.Path)
	if err == nil && p.seen != nil && os.SameFile(info, p.seen) &&
		info.ModTime().Equal(p.seen.ModTime()) && info.Size() == p.seen.Size() {
		return "" // a large plan takes a while to read
	}
	p.seen = info
	var now *plan.Plan
	src, err := safefile.ReadNamed(from.Path, call.MaxPlan)
	if err == nil {
		now, err = markdown.Parse(from.Path, src, markdown.Options{Dialect: from.Dialect})
	}
	if err == nil && from.Serialize {
		now, err = plan.Serialize(now)
	}
	if err != nil {
		return "the plan was changed and cannot be read any more: " + text.Clean(err.Error(), 200) +
			"; phases go by what it said at the start"
	}
	var labels []string
	for _, phase := range p.Plan.Phases() {
		if is, ok := now.Find(phase.ID); !ok || is.Fingerprint != phase.Fingerprint {
			labels = append(labels, phase.Label)
		}
	}
	if len(labels) == 0 && now.Len() == p.Plan.Len() {
		return ""
	}
	changed := "the plan was changed"
	if len(labels) > 0 {
		changed += " at " + text.JoinSome(labels, 3)
	}
	return changed + "; phases go by what it said at the start"
}
