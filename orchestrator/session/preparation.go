package session

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"

	"autobuild/internal/proc"
	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/prepare"
	"autobuild/orchestrator/session/gates"
	"autobuild/state"
)

// maxDescribed is the output limit, in bytes, of a program that is asked for its paths.
const maxDescribed = 1 << 20

// findSetup uses the worktree setup of another tool if autobuild.yaml has no setup.
func (s *session) findSetup() {
	if len(s.spec.Config.Setup) > 0 || s.spec.Config.Isolation != state.Worktree {
		return
	}
	s.declared = prepare.FindDeclared(s.project.Root, runtime.GOOS == "windows")
	if s.spec.Config.Setup = s.declared.Commands; len(s.declared.Commands) > 0 {
		s.notice(fmt.Sprintf("setup: %s (from %s)",
			text.Clean(strings.Join(s.declared.Commands, "; "), 300), s.declared.File))
	}
}

// makeReady installs the base's dependencies by its lockfiles, if there is no setup.
func (s *session) makeReady(ctx context.Context, runner *gates.Runner) error {
	if len(s.spec.Config.Setup) > 0 || s.joins || s.nothing {
		return nil
	}
	env := s.childEnv()
	s.space.Prepare(prepare.Installer{
		Root: s.project.Root, Env: env,
		Path: func(name string) string { return s.Environ.Find(s.project.Root, name) },
		Run: func(
			ctx context.Context, dir, name string, commands []string,
		) (*state.Gate, error) {
			return s.install(ctx, runner, dir, name, commands)
		},
		Output: func(ctx context.Context, dir string, argv []string) ([]byte, bool, error) {
			out, exit, err := s.runner.Output(ctx, proc.Command{
				Argv: argv, Dir: dir, Env: prepare.Env(env, s.project.Root, dir),
			}, maxDescribed)
			if ctx.Err() != nil {
				return nil, false, context.Cause(ctx)
			}
			return out, err == nil && exit.OK(), nil
		},
	})
	made, err := s.space.Prepared(ctx)
	if err != nil {
		return fmt.Errorf("preparing a clone: %w", err)
	}
	for _, note := range made.Notes {
		s.notice(text.Clean(note, 400))
	}
	return nil
}

// install runs install commands in a clone and returns the first that failed, with the beginning
// of its output: package managers print the cause first and their usage afterwards.
func (s *session) install(
	ctx context.Context, runner *gates.Runner, dir, name string, commands []string,
) (*state.Gate, error) {
	if len(commands) == 0 {
		return nil, nil
	}
	own, err := runner.Private(name)
	if err != nil {
		return nil, err
	}
	defer own.Leave()
	s.Note("%s", text.Clean("preparing: "+strings.Join(commands, "; "), 300))
	failed, err := own.Verifier.Setup(ctx, dir, name, commands)
	if failed == nil || err != nil {
		return nil, err
	}
	log, err := safefile.Open(filepath.Join(s.project.StateDir, filepath.FromSlash(failed.Log)))
	if err != nil {
		return failed, nil //nolint:nilerr // the end of the output remains
	}
	defer log.Close() //nolint:errcheck // only read from
	if head, err := io.ReadAll(io.LimitReader(log, proc.TailSize)); err == nil {
		lines := strings.Split(string(head), "\n")
		for i := range lines {
			lines[i] = text.Clean(lines[i], 300)
		}
		failed.Tail = strings.Join(lines, "\n")
	}
	return failed, nil
}

// outside reports whether a path exists in the user's checkout and is not in git. It is false
// where phases work in the checkout itself.
func (s *session) outside(ctx context.Context, path string) bool {
	if s.apart() == "" || !safefile.Exists(filepath.Join(s.apart(), filepath.FromSlash(path))) {
		return false
	}
	indexed, committed, err := s.project.Repo.Tracks(ctx, path)
	return err == nil && !indexed && !committed
}

// apart is the user's checkout if phases work in clones, else empty.
func (s *session) apart() string {
	if s.spec.Config.Isolation != state.Worktree {
		return ""
	}
	return s.project.Root
}
