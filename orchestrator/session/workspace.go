package session

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/call"
	"autobuild/internal/config"
	"autobuild/internal/preflight"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/session/workspace"
	"autobuild/orchestrator/shared"
	"autobuild/orchestrator/verify"
	"autobuild/orchestrator/verify/referee"
	"autobuild/orchestrator/worktree"
	"autobuild/plan"
	"autobuild/state"
)

// openWorkspace starts or takes up again the place where this run works.
func (s *session) openWorkspace(ctx context.Context) (workspace.Space, error) {
	c := workspace.Config{Plan: s.plan, Shown: s.Shown, Room: s.room, Jobs: s.o.GateJobs}
	if s.config.Isolation == state.NoIsolation {
		shared, err := s.openShared(ctx)
		if err != nil {
			return nil, err
		}
		if c.Lookout, err = s.lookout(shared.Line(), true); err != nil {
			return nil, err
		}
		return workspace.NewShared(c, shared, s.project.Root, s.config.RunID), nil
	}
	line, err := worktree.Begin(ctx, s.project.Repo, s.worktreeOptions())
	if err != nil {
		return nil, err
	}
	if c.Lookout, err = s.lookout(line, false); err != nil {
		return nil, err
	}
	return workspace.NewWorktrees(c, line), nil
}

func (s *session) openShared(ctx context.Context) (*shared.Dir, error) {
	if s.project.Repo == nil {
		return shared.Open(s.project.Root, s.worktreeOptions()), nil
	}
	return shared.Begin(ctx, s.project.Repo, s.worktreeOptions())
}

func (s *session) worktreeOptions() worktree.Options {
	return worktree.Options{
		RunID: s.config.RunID, StateDir: s.project.StateDir, Mode: string(s.config.CommitMode), PlanPath: s.path,
		NoVerify: len(s.hooks) == 0,
		Aside:    s.knowledge().Path, Mark: workspace.Marks{Plan: s.plan}.Done,
		Output: s.Outputs(), Checkouts: s.checkoutsDir(),
	}
}

// checkoutsDir is the parent of the referee's checkouts of a project. Its name does not hold
// autobuild, because the judged code could look for it.
func (s *session) checkoutsDir() string {
	name := "build-" + s.project.Word()
	cache, err := os.UserCacheDir()
	if home := s.Environ.Get("XDG_CACHE_HOME"); home != "" {
		cache, err = home, nil
	}
	dir := cmp.Or(cache, preflight.Temporary())
	if err != nil || os.MkdirAll(dir, 0o700) != nil || writable(dir) != nil {
		dir = preflight.Temporary()
	}
	return filepath.Join(dir, name)
}

// writable reports why no file can be made in a directory.
func writable(dir string) error {
	probe, err := os.MkdirTemp(dir, "build-")
	if err != nil {
		return err
	}
	return os.Remove(probe)
}

// guards are nil with --guard off.
func (s *session) guards() attempt.Guard {
	if s.o.Guard.Value == config.GuardOff {
		return nil
	}
	values := slices.DeleteFunc(call.Secrets(s.Environ), func(v string) bool {
		// where a secret lies is none
		return strings.HasPrefix(v, "/") || strings.HasPrefix(v, "~") || strings.HasPrefix(v, ".")
	})
	return &workspace.Guard{Edits: s.space.Edits, Strict: s.o.Guard.Value == config.GuardStrict, Secrets: values}
}

// referees are nil where nothing is compared: without worktrees there is no base to judge by.
func (s *session) referees() attempt.Referee {
	if s.examiner == nil {
		return nil
	}
	return workspace.Referee{Examiner: s.examiner}
}

// makeExaminer gives the run its referee, where phases have worktrees.
func (s *session) makeExaminer() {
	l, ok := s.space.(*workspace.Worktrees)
	if !ok {
		return
	}
	s.examiner = &verify.Examiner{
		Trees: workspace.Trees{Line: l.Line}, Mode: referee.Mode(s.o.Referee.Value),
		Proof: func(p plan.Phase) verify.ProofMode {
			if word := s.Choices[p.ID].Proof; word != "" {
				return verify.ProofMode(word)
			}
			return verify.ProofMode(s.o.Proof.Value)
		},
	}
}
