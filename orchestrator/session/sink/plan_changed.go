package sink

import (
	"errors"
	"os"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/workspace"
	"autobuild/plan"
	"autobuild/plan/markdown"
)

// Read reads the plan as it is saved now. Its error has the mistakes of the text, on one line. A
// text that has only gained marks is not parsed. It may be called from any goroutine.
func (m *PlanMarker) Read() (workspace.Marks, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.read()
}

// read is Read; the caller holds mu.
func (m *PlanMarker) read() (workspace.Marks, error) {
	data, err := safefile.ReadNamed(m.Spec.Path, call.MaxPlan)
	if err == nil && m.Marks.Knows(data) {
		return m.Marks, nil
	}
	if err != nil {
		return workspace.Marks{}, oneLine(err)
	}
	return m.Parse(data)
}

// Parse reads a text of the plan. Its error is that of Read.
func (m *PlanMarker) Parse(data []byte) (workspace.Marks, error) {
	p, marker, err := markdown.ParseMarked(m.Spec.Path, data,
		markdown.Options{Reading: m.Spec.Reading})
	if problems, ok := errors.AsType[plan.Problems](err); ok {
		err = problems.Errors()
	}
	if err != nil {
		return workspace.Marks{}, oneLine(err)
	}
	return workspace.NewMarks(p, marker), nil
}

func oneLine(err error) error {
	return errors.New(text.Clean(strings.ReplaceAll(err.Error(), "\n", "; "), 600))
}

const untilReload = "the run goes by what it said before, until a session goes on with --resume=edited"

// Changed names the phases that the plan file describes differently by now; empty: none. A ticked
// box is no change. It may be called from any goroutine.
func (m *PlanMarker) Changed() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	info, err := os.Stat(m.Spec.Path)
	if err == nil && m.seen != nil && os.SameFile(info, m.seen) &&
		info.ModTime().Equal(m.seen.ModTime()) && info.Size() == m.seen.Size() {
		return ""
	}
	m.seen = info
	now, err := m.read()
	if err != nil {
		return "the plan was changed and cannot be read any more: " + text.Clean(err.Error(), 200) +
			"; " + untilReload
	}
	var labels []string
	for _, phase := range m.Marks.Plan.Phases() {
		if is, ok := now.Plan.Find(phase.ID); !ok || is.Fingerprint != phase.Fingerprint {
			labels = append(labels, phase.Label)
		}
	}
	if orchestrator.SamePlan(m.Marks.Plan, now.Plan) {
		return ""
	}
	changed := "the plan was changed"
	if len(labels) > 0 {
		changed += " at " + text.JoinSome(labels, 3)
	}
	return changed + "; " + untilReload
}
