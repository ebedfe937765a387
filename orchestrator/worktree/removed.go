package worktree

import (
	"context"

	"autobuild/orchestrator/worktree/removal"
)

// Removed lists what the phase's difference takes away of the work of other phases on which it is
// built.
func (l *Line) Removed(ctx context.Context, t Tree) ([]removal.Loss, error) {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return nil, err
	}
	defer release()
	if t.Base == l.base {
		return nil, nil
	}
	work, err := l.readOnce(ctx, t)
	if err != nil {
		return nil, err
	}
	difference := removal.Difference{Base: t.Base, Tree: work.tree, Plan: l.plan}
	return removal.Find(ctx, l.scratch, difference, func(paths ...string) ([]removal.Commit,
		error,
	) {
		commits, err := l.log(ctx, l.base, t.Base, paths...)
		if err != nil {
			return nil, err
		}
		var others []removal.Commit
		for _, c := range commits {
			if c.phase != "" && c.phase != t.Phase {
				others = append(others, removal.Commit{ID: c.ID, Phase: c.phase})
			}
		}
		return others, nil
	})
}
