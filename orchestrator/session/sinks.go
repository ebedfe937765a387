package session

import (
	"bytes"
	"os"
	"path/filepath"

	"autobuild/internal/atomicfile"
	"autobuild/internal/call"
	"autobuild/internal/config"
	"autobuild/internal/knowledgefile"
	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/session/roster"
	"autobuild/orchestrator/session/workspace"
	"autobuild/render"
	"autobuild/state"
)

// planMarker is a sink that ticks complete phases in a plan that is no part of the work, because
// git does not track it. The run does not depend on it: a plan that cannot be written costs a line.
type planMarker struct {
	path  string
	root  string // of the project
	marks workspace.Marks
	note  func(format string, args ...any)
}

// Event marks the plan when a phase has completed. A session that begins does it for the phase that
// completed last: a crash may have come between its record and its mark.
func (m planMarker) Event(e state.Event, r *state.Run) error {
	var p *state.Phase
	switch {
	case e.Type == state.RunStarted:
		m.sweep()
		for i := range r.Phases {
			if q := &r.Phases[i]; q.Status == state.Complete && (p == nil || q.Finished.After(p.Finished)) {
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
		m.note("the plan could not be marked: %s", text.Clean(err.Error(), 300))
	}
	return nil
}

// sweep removes what a crash has left of files that were about to replace the plan, or what lies
// beside the run at the project's root.
func (m planMarker) sweep() {
	path, err := filepath.EvalSymlinks(m.path)
	if err != nil {
		path = m.path
	}
	for _, folder := range []string{filepath.Dir(path), m.root} {
		if dir, err := os.OpenRoot(folder); err == nil {
			_ = atomicfile.Sweep(dir) // a remaining file does no harm
			_ = dir.Close()           // nothing was written through it
		}
	}
}

func (m planMarker) mark(phase string) error {
	info, err := os.Stat(m.path)
	if err != nil {
		return err
	}
	src, err := safefile.ReadNamed(m.path, call.MaxPlan)
	if err != nil {
		return err
	}
	marked, err := m.marks.Done(phase)(src)
	if err != nil || bytes.Equal(marked, src) {
		return err
	}
	path, err := filepath.EvalSymlinks(m.path)
	if err != nil {
		return err
	}
	return atomicfile.WritePath(path, marked, info.Mode().Perm())
}

// sinks receive every event: the store first, which makes it durable, then the outputs.
func (s *session) sinks() []orchestrator.Sink {
	sinks := []orchestrator.Sink{
		s.keep(),
		planMarker{path: s.path, root: s.project.Root, marks: workspace.Marks{Plan: s.plan}, note: s.Note},
		proposals{dir: s.dir, plan: s.plan, path: s.path, dialect: s.o.Dialect, note: s.Note},
	}
	silent := len(sinks)
	switch s.o.Progress.Value {
	case "json":
		sinks = append(sinks, &render.JSON{W: s.Stdout})
	case "quiet":
	default:
		if s.nothing {
			break // the last screen says all there is
		}
		if s.screen != nil {
			sinks = append(sinks, s.screen)
			break
		}
		sinks = append(sinks, s.lines())
	}
	if s.o.Knowledge.Value == config.KnowledgeOn || s.o.Knowledge.Value == config.KnowledgeTrust {
		shown := append([]orchestrator.Sink{s.keep()}, sinks[silent:]...)
		sinks = append(sinks, knowledgefile.Sink{Memory: s.memory, File: s.knowledge(), Show: shown, Note: s.Note})
	}
	if t := s.openNotifier(); t != nil {
		sinks = append(sinks, t)
	}
	return sinks
}

var (
	_ attempt.Agent     = roster.ChosenAgent{}
	_ orchestrator.Sink = planMarker{}
	_ orchestrator.Sink = proposals{}
)
