package worktree

import (
	"context"

	"autobuild/orchestrator/git"
)

// merge3 merges trees over a base of our choosing, which need not be an ancestor of anything.
func (l *Line) merge3(ctx context.Context, base, ours, theirs string) (string, []git.Conflict, error) {
	ours, err := l.scratch.TreeOf(ctx, ours)
	if err != nil {
		return "", nil, err
	}
	root, err := l.scratch.CommitUnsigned(ctx, base)
	if err != nil {
		return "", nil, err
	}
	left, err := l.scratch.CommitUnsigned(ctx, ours, root)
	if err != nil {
		return "", nil, err
	}
	right, err := l.scratch.CommitUnsigned(ctx, theirs, root)
	if err != nil {
		return "", nil, err
	}
	return l.scratch.MergeTree(ctx, l.repo.Top, left, right)
}

// holds reports whether a commit of the user's has all that the line has up to target: it is that
// commit, or they merged the line by hand, and what they lack is only the line's own note of that.
func (l *Line) holds(ctx context.Context, commit, target string) (bool, error) {
	if commit == target {
		return true, nil
	}
	ahead, err := l.scratch.IsAhead(ctx, target, commit)
	if err != nil || ahead {
		return false, err
	}
	return l.alike(ctx, commit, target)
}

// alike reports whether two commits have the same content.
func (l *Line) alike(ctx context.Context, a, b string) (bool, error) {
	left, err := l.scratch.TreeOf(ctx, a)
	if err != nil {
		return false, err
	}
	right, err := l.scratch.TreeOf(ctx, b)
	return left == right, err
}
