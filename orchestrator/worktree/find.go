package worktree

import (
	"autobuild/internal/proc"
	"context"
)

// Find looks for the repository that holds dir, and refuses one that carries .autobuild in its history. Its errors are those of
// git.Find.
func Find(ctx context.Context, run *proc.Runner, environ []string, dir string) (*Repo, error) {
	r, err := findRepo(ctx, run, environ, dir)
	if err == nil {
		err = refuseTracked(ctx, r)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// refuseTracked refuses a repository that carries .autobuild in its history: every worktree would start with stale state.
func refuseTracked(ctx context.Context, r *Repo) error {
	indexed, committed, err := r.Tracks(ctx, ".autobuild")
	if err != nil {
		return err
	}
	if indexed {
		return &UnusableError{
			What: ".autobuild is tracked by git", Where: r.Top,
			Next: "untrack it (the files stay): git rm -r -q --cached .autobuild && git commit -m 'untrack .autobuild'",
		}
	}
	if committed {
		return &UnusableError{
			What: ".autobuild is in the last commit, although no longer in the index", Where: r.Top,
			Next: "commit its removal: git commit -m 'untrack .autobuild'",
		}
	}
	return nil
}
