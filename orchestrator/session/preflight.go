package session

import (
	"errors"
	"fmt"
	"slices"

	"autobuild/internal/call"
	"autobuild/internal/preflight"
	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/state/store"
)

// room refuses to start a run without space for its state and worktrees.
func (s *session) room() error {
	m := preflight.Machine{Dirs: []string{s.project.Root}, Owner: s.project.Word(), Shown: s.Shown, Next: s.onward()}
	if s.project.LockDir != "" {
		m.Dirs = append(m.Dirs, s.project.LockDir)
	}
	return m.Space()
}

// handles refuses phases that would need more open files than there may be.
func (s *session) handles() error {
	return preflight.Files(min(s.config.Jobs, s.plan.Len()), s.onward())
}

// onward is the command that goes on after a repair.
func (s *session) onward() string {
	if s.o.Fresh || !store.Exists(s.project.StateDir) {
		return "run the same command again"
	}
	return render.Command(slices.Concat(s.Program(), []string{s.planArg()}, s.given, []string{"--resume"}))
}

// stuck adds to trouble that ended a run in its middle the command by which it goes on.
func (s *session) stuck(err error) error {
	_, said := errors.AsType[*preflight.Error](err)
	if said || s.run.Config.RunID == "" || call.ExitCode(err) != call.ExitEnv {
		return err
	}
	resume := render.Command(s.ending().Resume)
	lost := s.keep().Damaged()
	switch {
	case len(lost) > 0 && !store.Exists(s.project.StateDir):
		return fmt.Errorf("%w\nthe state in %s is gone; what has landed is in git (git log %s); go on from there: %s", err, s.Shown(s.project.StateDir),
			"--all --grep "+s.config.RunID, render.Command(slices.Concat(s.Program(), []string{s.planArg()}, s.given)))
	case len(lost) > 0:
		return fmt.Errorf("%w\nof the state in %s these files are not what was recorded: %s; fix this, then run: %s, and: %s", err, s.Shown(s.project.StateDir),
			text.JoinSome(lost, 3), render.Command(slices.Concat(s.Program(), []string{"repair"})), resume)
	}
	return fmt.Errorf("%w\nstate is intact; fix this, then run: %s", err, resume)
}
