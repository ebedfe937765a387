package worktree

import (
	"autobuild/orchestrator/git"
	"cmp"
	"context"
	"fmt"
	"slices"
)

// headless says why the checkout is at no commit, and what to do about it.
func headless(ctx context.Context, r *git.Repository) *git.UnusableError {
	const seek = "; git reflog and git fsck --lost-found name commits that are there"
	id, _ := r.RevParse(ctx, cmp.Or(r.Branch, "HEAD")) // as above
	switch {
	case id != "" && r.Branch != "":
		return &git.UnusableError{
			What:  fmt.Sprintf("the branch %s points to %s, which is no commit that is there", git.ShortRef(r.Branch), id),
			Where: r.Top, Next: "put it back: git update-ref " + r.Branch + " COMMIT" + seek,
		}
	case id != "":
		return &git.UnusableError{What: "HEAD names " + id + ", which is no commit that is there", Where: r.Top, Next: "switch to a branch: git switch BRANCH" + seek}
	}
	refs, err := r.Refs(ctx, "refs/heads/")
	for ref := range refs {
		if git.OwnRef(ref) {
			delete(refs, ref)
		}
	}
	if err == nil && len(refs) > 0 {
		names := make([]string, 0, len(refs))
		for ref := range refs {
			names = append(names, git.ShortRef(ref))
		}
		slices.Sort(names)
		return &git.UnusableError{
			What: "the branch " + git.ShortRef(r.Branch) + " has no commit, others have", Where: r.Top,
			Next: "switch to one of them, for example: git switch " + names[0] + "; or commit what is to be its beginning",
		}
	}
	return &git.UnusableError{What: "the repository has no commit yet", Where: r.Top, Next: "make a first one: git commit --allow-empty -m 'first commit'"}
}
