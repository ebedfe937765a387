package worktree

import (
	"context"

	"autobuild/orchestrator/git"
)

// BeginInPlace makes a line for phases that all work in the user's checkout itself: it has no
// branch of its own, and commits files by name onto the user's. It supports only CommitPaths,
// CommitRecorded and the comparisons of the checkout. The commits are those of the run's phases on
// the user's branch, oldest first. Its error is an *git.UnusableError or git's.
func BeginInPlace(ctx context.Context, r *git.Repository, o Options) (*Line, []Commit, error) {
	if err := ready(ctx, r, o); err != nil {
		return nil, nil, err
	}
	r.RemoveEmptyObjects()
	d, err := git.OpenScratchDir(ctx, r, o.repository(), o.RunID)
	if err != nil {
		return nil, nil, err
	}
	if err = d.TrySigning(ctx, r.Head); err != nil {
		return nil, nil, err
	}
	if err = d.TryFilters(ctx, r.Head); err != nil {
		return nil, nil, err
	}
	if err = d.KeepPrograms(); err != nil {
		return nil, nil, err
	}
	if err = exclude(r.CommonDir); err != nil {
		return nil, nil, err
	}
	l := newLine(r, d, o)
	l.shared = true
	refs, err := l.own.RefsNamed(ctx, l.hidden("base"), l.hidden("delivering"))
	if err != nil {
		return nil, nil, err
	}
	if l.base = refs[l.hidden("base")]; l.base == "" {
		l.base = r.Head
		if err = l.sweep(ctx); err != nil {
			return nil, nil, err
		}
		l.own.MarkUnsynced()
		begin := git.RefUpdate{Ref: l.hidden("base"), New: l.base}
		if err = r.UpdateRefs(ctx, "run begins", begin); err == nil {
			err = l.own.UpdateRefs(ctx, begin)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if err = l.catchUpIndex(ctx, refs[l.hidden("delivering")]); err != nil {
		return nil, nil, err
	}
	entries, err := l.log(ctx, l.base, r.Head)
	return l, phaseCommits(entries), err
}
