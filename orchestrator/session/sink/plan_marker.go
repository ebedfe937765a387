// Package sink holds what follows the events of a run beside the store: marks in a plan that git
// does not track, proposals to change the plan, and lines for CI systems, agents and terminals. A
// run does not depend on any of them: one that cannot write prints a note. It decides nothing.
package sink

import (
	"bytes"
	"os"
	"path/filepath"

	"autobuild/internal/atomicfile"
	"autobuild/internal/call"
	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator"
	"autobuild/orchestrator/session/workspace"
	"autobuild/state"
)

// PlanMarker is a sink that ticks complete phases in a plan that is no part of the work, because
// git does not track it. The run does not depend on it: a plan that cannot be written costs a line.
type PlanMarker struct {
	Path  string
	Root  string // of the project
	Marks workspace.Marks
	Note  func(format string, args ...any)
}

// Event marks the plan when a phase has completed. A session that begins does it for the phase that
// completed last: a crash may have come between its record and its mark.
func (m PlanMarker) Event(e state.Event, r *state.Run) error {
	var p *state.Phase
	switch {
	case e.Type == state.RunStarted:
		m.sweep()
		for i := range r.Phases {
			if q := &r.Phases[i]; q.Status == state.Complete &&
				(p == nil || q.Finished.After(p.Finished)) {
				p = q
			}
		}
	case e.Type == state.AttemptFinished && e.Status == state.Complete:
		p, _ = r.Find(e.Phase)
	}
	if p == nil || p.Commit != nil && p.Commit.PlanMarked {
		return nil
	}
	if err := m.mark(p.ID); err != nil {
		m.Note("the plan could not be marked: %s", text.Clean(err.Error(), 300))
	}
	return nil
}

// sweep removes what a crash has left of files that were about to replace the plan, or what lies
// beside the run at the project's root.
func (m PlanMarker) sweep() {
	path, err := filepath.EvalSymlinks(m.Path)
	if err != nil {
		path = m.Path
	}
	for _, folder := range []string{filepath.Dir(path), m.Root} {
		if dir, err := os.OpenRoot(folder); err == nil {
			_ = atomicfile.Sweep(dir) // a remaining file does no harm
			_ = dir.Close()           // nothing was written through it
		}
	}
}

func (m PlanMarker) mark(phase string) error {
	info, err := os.Stat(m.Path)
	if err != nil {
		return err
	}
	src, err := safefile.ReadNamed(m.Path, call.MaxPlan)
	if err != nil {
		return err
	}
	marked, err := m.Marks.Done(phase)(src)
	if err != nil || bytes.Equal(marked, src) {
		return err
	}
	path, err := filepath.EvalSymlinks(m.Path)
	if err != nil {
		return err
	}
	return atomicfile.WritePath(path, marked, info.Mode().Perm())
}

var _ orchestrator.Sink = PlanMarker{}
