package session

import (
	"context"
	"os"
	"path/filepath"

	"autobuild/internal/call"
	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/agent"
	"autobuild/orchestrator/tamper"
	"autobuild/orchestrator/worktree"
	"autobuild/plan"
	"autobuild/plan/markdown"
	"autobuild/state"
)

// lookout watches around a line, or around a directory that phases share.
func (s *session) lookout(line *worktree.Line, shared bool) (*tamper.Lookout, error) {
	checkout := line
	if shared {
		checkout = nil // nothing in a shared directory is watched, so no file of it is looked up
	}
	env, err := s.environment(checkout)
	if err != nil {
		return nil, err
	}
	return &tamper.Lookout{
		Git: tamper.NewOutside(line), State: s.keep(), Env: env, Plan: s.planChanged, Planted: s.planted, Shared: shared,
	}, nil
}

// keep is the session's one sink that saves.
func (s *session) keep() *tamper.StateFiles {
	if s.written == nil {
		s.written = tamper.KeepState(s.dir, s.project.StateDir, baselineName, "commits.sh")
	}
	return s.written
}

// environment is the watch of this session, taken before the first agent starts.
func (s *session) environment(line *worktree.Line) (*tamper.Environment, error) {
	config := s.watched()
	if line != nil {
		config.Tracked = func(path string) bool {
			tracked, err := line.Tracks(context.Background(), path)
			return err == nil && tracked
		}
	}
	watch, err := tamper.Take(config)
	if err != nil {
		return nil, err
	}
	return &tamper.Environment{
		Watch: watch, StateDir: s.project.StateDir, Put: s.dir.Put, Begun: s.run.Totals().Complete > 0, Note: s.Note,
		Clean: func(note string) string { return text.Clean(note, 600) },
	}, nil
}

// watched is the configuration of the watch on the environment.
func (s *session) watched() tamper.Config {
	var exempt []string
	for _, name := range agent.Names() {
		exempt = append(exempt, agent.Program(name))
	}
	return tamper.Config{
		Environ: s.childEnv(), Root: s.project.Root, StateDir: s.project.StateDir, Above: []string{filepath.Join(s.project.StateDir, "worktrees"), s.checkoutsDir()},
		Shared: s.config.Isolation == state.NoIsolation, Exempt: exempt, Now: s.Now,
	}
}

// recoverEnvironment puts back what agents of a killed run changed in the environment of its gates.
func (s *session) recoverEnvironment() error {
	notes, err := tamper.Recover(s.watched())
	for _, n := range notes {
		s.begin.Notices = append(s.begin.Notices, "since the run was cut off: "+text.Clean(n, 400))
	}
	return err
}

// planChanged names the phases that the plan file describes differently by now. A ticked box is no
// change.
func (s *session) planChanged() string {
	info, err := os.Stat(s.path)
	if err == nil && s.seen != nil && os.SameFile(info, s.seen) && info.ModTime().Equal(s.seen.ModTime()) && info.Size() == s.seen.Size() {
		return "" // a large plan takes a while to read
	}
	s.seen = info
	var now *plan.Plan
	src, err := safefile.ReadNamed(s.path, call.MaxPlan)
	if err == nil {
		now, err = markdown.Parse(s.path, src, markdown.Options{Dialect: s.o.Dialect})
	}
	if err == nil && s.o.Serialize {
		now, err = plan.Serialize(now)
	}
	if err != nil {
		return "the plan was changed and cannot be read any more: " + text.Clean(err.Error(), 200) + "; phases go by what it said at the start"
	}
	var labels []string
	for _, p := range s.plan.Phases() {
		if is, ok := now.Find(p.ID); !ok || is.Fingerprint != p.Fingerprint {
			labels = append(labels, p.Label)
		}
	}
	if len(labels) == 0 && now.Len() == s.plan.Len() {
		return ""
	}
	changed := "the plan was changed"
	if len(labels) > 0 {
		changed += " at " + text.JoinSome(labels, 3)
	}
	return changed + "; phases go by what it said at the start"
}
