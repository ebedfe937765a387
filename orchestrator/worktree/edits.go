package worktree

import (
	"context"
	"slices"

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
	c, err := l.read(ctx, t.Phase, t.Dir, t.Base)
	if err != nil {
		return nil, err
	}
	return l.scratch.Edits(ctx, t.Base, c.tree)
}

// Edits is the phase's difference from the commit on which the checkout stands; in the modes that
// commit at the end, earlier phases' changes of the same files are in it too. Without git, there is
// nothing to compare with and nothing is told.
func (s *Shared) Edits(ctx context.Context, t Tree) ([]git.Edit, error) {
	if s.line == nil {
		return nil, nil
	}
	c, err := s.Changes(ctx, t)
	if err != nil || c.Empty() {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.line
	_, head, err := l.repo.ReadHead(ctx)
	if err != nil {
		return nil, err
	}
	tree, err := l.treeWith(ctx, head, slices.Concat(c.Created, c.Modified, c.Deleted))
	if err != nil {
		return nil, err
	}
	return l.scratch.Edits(ctx, head, tree)
}
