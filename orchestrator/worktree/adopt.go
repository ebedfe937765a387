package worktree

import (
	"context"

	"autobuild/orchestrator/git"
)

// Adopt moves the line to a commit that another machine has landed, with all that it stands on. The
// commit's objects must be here. One that does not follow the tip is an *git.UnusableError, and
// nothing has changed. A commit that the line holds already changes nothing.
func (l *Line) Adopt(ctx context.Context, commit string) error {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return err
	}
	defer release()
	held, err := l.scratch.IsAncestor(ctx, commit, l.tip)
	if err != nil || held {
		return err
	}
	follows, err := l.scratch.IsAncestor(ctx, l.tip, commit)
	if err != nil {
		return err
	}
	if !follows {
		return &git.UnusableError{
			What:  "the run's line here does not lead to what landed elsewhere",
			Where: l.Branch + " at " + l.tip + ", " + commit,
			Next:  "merge that commit into your branch, and resume",
		}
	}
	if err = l.scratch.Import(ctx, l.repo.CommonDir, commit, true, l.tip); err != nil {
		return err
	}
	l.own.MarkUnsynced()
	if err = l.advance(git.Uninterrupted(ctx), commit); err != nil {
		return err
	}
	return l.recall(ctx)
}

// Keep makes a commit the work of a phase that has not landed, on the commit's parent: the next
// Open goes on from it.
func (l *Line) Keep(ctx context.Context, phase, commit string) error {
	if err := CheckName("phase name", phase); err != nil {
		return err
	}
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return err
	}
	defer release()
	if err := l.scratch.Import(ctx, l.repo.CommonDir, commit, true, l.tip); err != nil {
		return err
	}
	return l.own.UpdateRefs(git.Uninterrupted(ctx),
		git.RefUpdate{Ref: l.hidden("work/" + phase), New: commit})
}

// Kept is the commit that Keep has noted for a phase; empty: none.
func (l *Line) Kept(ctx context.Context, phase string) (string, error) {
	ref := l.hidden("work/" + phase)
	refs, err := l.own.RefsNamed(ctx, ref)
	return refs[ref], err
}

// Work is the content of a phase's worktree as a tree object.
func (l *Line) Work(ctx context.Context, t Tree) (tree string, err error) {
	c, err := l.Changes(ctx, t)
	return c.Tree, err
}
