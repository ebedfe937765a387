package worktree

import (
	"autobuild/internal/proc"
	"autobuild/orchestrator/git"
	"context"
)

// Find looks for the repository that holds dir, and refuses one that carries .autobuild in its history. Its errors are those of
// git.Find.
func Find(ctx context.Context, run *proc.Runner, environ []string, dir string) (*git.Repository, error) {
	r, err := git.Find(ctx, run, environ, dir)
	if err == nil {
		err = refuseTracked(ctx, r)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// refuseTracked refuses a repository that carries .autobuild in its history: every worktree would start with stale state.
func refuseTracked(ctx context.Context, r *git.Repository) error {
	indexed, committed, err := r.Tracks(ctx, ".autobuild")
	if err != nil {
		return err
	}
	if indexed {
		return &git.UnusableError{
			What: ".autobuild is tracked by git", Where: r.Top,
			Next: "untrack it (the files stay): git rm -r -q --cached .autobuild && git commit -m 'untrack .autobuild'",
		}
	}
	if committed {
		return &git.UnusableError{
			What: ".autobuild is in the last commit, although no longer in the index", Where: r.Top,
			Next: "commit its removal: git commit -m 'untrack .autobuild'",
		}
	}
	return nil
}
