package worktree

import (
	"context"

	"autobuild/orchestrator/git"
)

// Edits gives what the phase changed with the content of both sides, sorted by path. It is what
// Land would take at this moment; errors are those of Changes.
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
