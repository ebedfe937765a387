package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// noteHooks says which of the user's commit hooks the run's commits pass by. In mode message-only the user's own git makes the
// commits, hooks and all.
func (l *Line) noteHooks(ctx context.Context) error {
	if l.opt.Mode == MessageOnly {
		return nil
	}
	names, err := l.repo.commitHooks(ctx)
	if err != nil {
		return err
	}
	if len(names) > 0 {
		l.Notes = append(l.Notes, fmt.Sprintf("git's hook %s is not run for the run's commits; what it checks can be a gate", strings.Join(names, ", ")))
	}
	return nil
}

// commitHooks are the user's hooks that git would run for a commit.
func (r *Repo) commitHooks(ctx context.Context) ([]string, error) {
	// Without the settings of every other call, which lead to no hooks at all.
	out, _, err := r.git.do(ctx, call{dir: r.Top, args: []string{"--git-dir=" + r.GitDir, "rev-parse", "--git-path", "hooks"}})
	if err != nil {
		return nil, err
	}
	dir := word(out)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(r.Top, dir)
	}
	var names []string
	for _, name := range []string{"pre-commit", "prepare-commit-msg", "commit-msg"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			names = append(names, name)
		}
	}
	return names, nil
}
