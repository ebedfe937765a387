// Package sink holds what follows the events of a run beside the store: marks in a plan that git
// does not track, proposals to change the plan, and lines for CI systems, agents and terminals. A
// run does not depend on any of them: one that cannot write prints a note. It decides nothing.
package sink

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"time"

	"autobuild/internal/atomicfile"
	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/spec"
	"autobuild/orchestrator/session/workspace"
	"autobuild/state"
)

// markEvery is the least time between two writes of the plan while a run goes on.
const markEvery = 2 * time.Second

// PlanMarker is a sink that ticks complete phases in a plan that is no part of the work, because
// git does not track it. It gathers the ticks of phases that complete within markEvery, and writes
// the rest at the end. The run does not depend on it: a plan that cannot be written costs a line.
type PlanMarker struct {
	Spec  spec.Plan
	Root  string // of the project
	Marks workspace.Marks
	Note  func(format string, args ...any)

	due    []string // ids of complete phases that are not ticked yet
	ticked time.Time

	mu   sync.Mutex
	seen os.FileInfo // the plan as it is known
}

// Event ticks the plan when phases have completed. A session that begins does it for all complete
// phases: an earlier one may have been killed before it wrote.
func (m *PlanMarker) Event(e state.Event, r *state.Run) error {
	switch {
	case e.Type == state.RunStarted:
		m.sweep()
		for i := range r.Phases {
			m.add(&r.Phases[i])
		}
	case e.Type == state.AttemptFinished && e.Status == state.Complete:
		if p, ok := r.Find(e.Phase); ok {
			m.add(p)
		}
	}
	since := e.Time.Sub(m.ticked)
	early := !m.ticked.IsZero() && since >= 0 && since < markEvery
	if len(m.due) == 0 || early && e.Type != state.RunFinished {
		return nil
	}
	if err := m.mark(m.due...); err != nil {
		m.Note("the plan could not be marked: %s", text.Clean(err.Error(), 300))
	}
	m.due, m.ticked = nil, e.Time
	return nil
}

// Follow goes by an edited plan. It may be called from any goroutine.
func (m *PlanMarker) Follow(edited workspace.Marks) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Marks, m.seen = edited, nil
}

// add notes a phase whose tick is due.
func (m *PlanMarker) add(p *state.Phase) {
	if p.Status == state.Complete && (p.Commit == nil || !p.Commit.PlanMarked) {
		m.due = append(m.due, p.ID)
	}
}

// sweep removes what a crash has left of files that were about to replace the plan, or what lies
// beside the run at the project's root.
func (m *PlanMarker) sweep() {
	path, err := filepath.EvalSymlinks(m.Spec.Path)
	if err != nil {
		path = m.Spec.Path
	}
	for _, folder := range []string{filepath.Dir(path), m.Root} {
		if dir, err := os.OpenRoot(folder); err == nil {
			_ = atomicfile.Sweep(dir) // a remaining file does no harm
			_ = dir.Close()           // nothing was written through it
		}
	}
}

// mark ticks those of the phases that the plan still has.
func (m *PlanMarker) mark(phases ...string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	info, err := os.Stat(m.Spec.Path)
	if err != nil {
		return err
	}
	src, err := safefile.ReadNamed(m.Spec.Path, call.MaxPlan)
	if err != nil {
		return err
	}
	marked, missing := m.Marks.Done(phases...)(src)
	if marked == nil || bytes.Equal(marked, src) {
		return missing
	}
	path, err := filepath.EvalSymlinks(m.Spec.Path)
	if err != nil {
		return err
	}
	if err = atomicfile.WritePath(path, marked, info.Mode().Perm()); err != nil {
		return err
	}
	m.adopt(marked)
	return missing
}

// adopt takes the plan file for known where it holds nothing but marked, which is a known text. The
// caller holds mu.
func (m *PlanMarker) adopt(marked []byte) {
	if !m.Marks.Knows(marked) {
		return
	}
	info, err := os.Stat(m.Spec.Path)
	if err != nil {
		return
	}
	if src, err := safefile.ReadNamed(m.Spec.Path, call.MaxPlan); err == nil &&
		bytes.Equal(src, marked) {
		m.seen = info
	}
}

var _ orchestrator.Sink = (*PlanMarker)(nil)
