package worktree

import (
	"context"

	"autobuild/orchestrator/git"
)

// Edits gives what the phase changed with the content of both sides, sorted by path. It is what
// Land would take at this moment; errors are those of Changes.
func (l *Line) Edits(ctx context.Context, t Tree) ([]git.Edit, error) {
	give, err := take(ctx, l.hands)
	if err != nil {
		return nil, err
	}
	defer give()
	c, err := l.readOnce(ctx, t)
	if err != nil {
		return nil, err
	}
	return l.scratch.Edits(ctx, t.Base, c.tree)
}
