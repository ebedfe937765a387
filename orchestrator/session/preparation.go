package session

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"autobuild/internal/proc"
	"autobuild/internal/text"
	"autobuild/orchestrator/prepare"
	"autobuild/orchestrator/session/gates"
	"autobuild/state"
)

// maxDescribed bounds what a program prints about itself, in bytes.
const maxDescribed = 1 << 20

// findSetup takes what the repository says to other tools for the setup, where the settings have
// none.
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

// makeReady lets places be prepared by lockfiles, where there is no setup, and prepares the base.
func (s *session) makeReady(ctx context.Context, runner *gates.Runner) error {
	if len(s.spec.Config.Setup) > 0 || s.joins || s.nothing {
		return nil
	}
	env := s.childEnv()
	s.space.Prepare(prepare.Installer{
		Root: s.project.Root, Env: env, Path: func(name string) string { return s.Environ.Find(s.project.Root, name) },
		Run: func(
			ctx context.Context, dir, name string, commands []string,
		) (*state.Gate, error) {
			if len(commands) == 0 {
				return nil, nil
			}
			own, err := runner.Private(name)
			if err != nil {
				return nil, err
			}
			defer own.Leave()
			if !s.quiet() {
				s.Note("%s", text.Clean("preparing: "+strings.Join(commands, "; "), 300))
			}
			return own.Verifier.Setup(ctx, dir, name, commands)
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

func (s *session) quiet() bool { return s.o.Progress.Value == "quiet" }

// apart is the user's checkout, where phases work elsewhere; else empty.
func (s *session) apart() string {
	if s.spec.Config.Isolation != state.Worktree {
		return ""
	}
	return s.project.Root
}
