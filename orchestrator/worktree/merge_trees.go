package worktree

import (
	"context"

	"autobuild/orchestrator/git"
)

// merge3 merges trees over a base of our choosing, which need not be an ancestor of anything.
func (l *Line) merge3(
	ctx context.Context, base, ours, theirs string,
) (string, []git.Conflict, error) {
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
