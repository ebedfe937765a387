package worktree

import (
	"context"

	"autobuild/orchestrator/git"
)

// Edits returns the phase's changes with the content of both sides, sorted by path. Land would take
// the same at this moment; errors are those of Changes.
func (l *Line) Edits(ctx context.Context, t Tree) ([]git.Edit, error) {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return nil, err
	}
	defer release()
	c, err := l.readOnce(ctx, t)
	if err != nil {
		return nil, err
	}
	return l.scratch.Edits(ctx, t.Base, c.tree)
}
