package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"autobuild/orchestrator/git"
)

// Land makes the phase's work one commit on the line, and moves nothing of the user's: Deliver is
// the next step. The line moves by compare-and-swap. Work that was judged on the tip lands at once;
// where the tip has moved since, the work is merged and verified again, one phase at a time.
//
// Either the commit is on the line when Land returns without error, durable after Settle, or
// nothing has changed and the clone holds the phase's own content. An attempt that landed before
// gives Already. Errors that mean something: *ConflictError, *NestedError, *GoneError,
// ErrNoChange, and Verify's own.
func (l *Line) Land(ctx context.Context, t Tree, how Landing) (Landed, error) {
	if how.Phase == "" {
		how.Phase = t.Phase
	}
	if err := CheckName("phase name", how.Phase); err != nil {
		return Landed{}, err
	}
	if how.Key != "" {
		if err := CheckName("attempt key", how.Key); err != nil {
			return Landed{}, err
		}
	}
	reverified := false
	var leave func() // the queue of verifications; nil: not in it
	defer func() {
		if leave != nil {
			leave()
		}
	}()
	for {
		m, err := l.prepare(ctx, t, how)
		if err != nil || m.landed.Already {
			return m.landed, err
		}
		if how.Verify != nil && m.marked != how.Judged {
			if leave == nil {
				if err = l.Ahead(ctx, how.Phase); err != nil {
					return Landed{}, err
				}
				if leave, err = take(ctx, l.turn); err != nil {
					return Landed{}, err
				}
				continue // the tip may have moved meanwhile
			}
			if err = how.Verify(ctx, m.candidate(t)); err != nil {
				return Landed{}, fmt.Errorf("verifying phase %s on the merged content: %w", t.Phase,
					err)
			}
			how.Judged, reverified = m.marked, true
		}
		m.landed.Reverified = reverified
		landed, err := l.commitLanding(git.Uninterrupted(ctx), m, how)
		if !errors.Is(err, errTipMoved) {
			return landed, err
		}
	}
}

// errTipMoved means that another phase landed since the merge; the phase is merged again.
var errTipMoved = errors.New("the line moved since the merge")

// prepare reads the phase's work and merges it with the line in memory. The work of one attempt,
// which has a key, is read once.
func (l *Line) prepare(ctx context.Context, t Tree, how Landing) (merged, error) {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return merged{}, err
	}
	defer release()
	if id := l.landed[how.Phase]; id != "" && l.keys[how.Phase] == how.Key {
		return l.landedAlready(ctx, id)
	}
	read := l.readOnce
	if how.Key == "" {
		read = l.readTree
	}
	work, err := read(ctx, t)
	if err != nil {
		return merged{}, err
	}
	baseTree, err := l.scratch.TreeOf(ctx, t.Base)
	if err != nil {
		return merged{}, err
	}
	if work.tree == baseTree && !how.AllowEmpty {
		return merged{}, ErrNoChange
	}
	of := mergeOf{attempt: how.Key, phase: how.Phase, base: t.Base, tip: l.tip, work: work.tree}
	m := l.merges[t.Phase]
	if m.of != of || how.Key == "" {
		if m, err = l.mergeWork(ctx, t, how, work); err != nil {
			return merged{}, err
		}
		if l.merges == nil {
			l.merges = map[string]merged{}
		}
		m.of = of
		l.merges[t.Phase] = m
	}
	m.work = work
	return m, nil
}

// mergeWork merges the phase's work with the line in memory, and puts the plan's mark into it.
func (l *Line) mergeWork(ctx context.Context, t Tree, how Landing, own content) (merged, error) {
	m := merged{tip: l.tip, tree: own.tree, moved: l.tip != t.Base}
	var err error
	if !m.moved {
		m.marked, m.landed.Marked, err = l.mark(ctx, m.tree, how.Mark)
		return m, err
	}
	work, err := l.scratch.CommitUnsigned(ctx, own.tree, t.Base)
	if err != nil {
		return merged{}, err
	}
	tree, clashes, err := l.scratch.MergeTree(ctx, t.Dir, l.tip, work)
	if err != nil {
		return merged{}, err
	}
	if len(clashes) > 0 {
		return merged{}, l.conflict(ctx, t, how.Phase, own.tree, clashes)
	}
	m.tree = tree
	if m.landed.Overlap, err = l.overlap(ctx, t, own.tree); err != nil {
		return merged{}, err
	}
	if err = l.folded(t, how.Phase, m.landed.Overlap); err != nil {
		return merged{}, err
	}
	m.marked, m.landed.Marked, err = l.mark(ctx, m.tree, how.Mark)
	return m, err
}

// landedAlready is a phase whose commit is on the line.
func (l *Line) landedAlready(ctx context.Context, id string) (m merged, err error) {
	m = merged{landed: Landed{Commit: id, Already: true}, tip: l.tip}
	if m.tree, err = l.scratch.TreeOf(ctx, l.tip); err != nil {
		return merged{}, err
	}
	m.marked, m.work.tree = m.tree, m.tree
	return m, nil
}

// commitLanding writes the commit: objects, then the disk, then the refs.
func (l *Line) commitLanding(ctx context.Context, m merged, how Landing) (Landed, error) {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return Landed{}, err
	}
	defer release()
	if l.tip != m.tip {
		return Landed{}, errTipMoved
	}
	commit, err := l.scratch.CommitTree(ctx, m.marked,
		compose(how.Message, how.trail(), l.opt.RunID), l.tip)
	if err != nil {
		return Landed{}, err
	}
	if err = l.advance(ctx, commit); err != nil {
		return Landed{}, err
	}
	l.landed[how.Phase], l.keys[how.Phase] = commit, how.Key
	m.landed.Commit = commit
	l.queue.drop(how.Phase)
	return m.landed, nil
}

// advance moves the line's branch to a new tip.
func (l *Line) advance(ctx context.Context, tip string) error {
	ref := l.ref("integration")
	if err := l.own.UpdateRefs(ctx,
		git.RefUpdate{Ref: ref, New: tip, Old: l.tip}); err != nil {
		return err
	}
	l.tip = tip
	l.own.SyncLater(ref)
	return nil
}

// Settle makes durable that the line has moved, where no delivery has done that since.
func (l *Line) Settle() error { return l.own.SyncRefs() }

// mark applies the plan's edit to a tree. A plan that git does not track is not its business, and
// one that has lost the phase since is left as it is: the work counts, not its mark. Tracked
// reports whether the plan is a file of the tree.
func (l *Line) mark(
	ctx context.Context, tree string, edit func([]byte) ([]byte, error),
) (marked string, tracked bool, err error) {
	if edit == nil || l.plan == "" {
		return tree, false, nil
	}
	entry, ok, err := l.scratch.Entry(ctx, tree, l.plan)
	if err != nil {
		return "", false, err
	}
	mode := entry.NewMode
	if !ok || mode != "100644" && mode != "100755" {
		return tree, false, nil
	}
	before, err := l.scratch.Blob(ctx, entry.NewID)
	if err != nil {
		return "", false, err
	}
	after, err := edit(before)
	if err != nil || bytes.Equal(after, before) {
		return tree, true, nil // the plan has no place for the mark any more
	}
	newID, err := l.scratch.WriteBlob(ctx, after)
	if err != nil {
		return "", false, err
	}
	marked, err = l.scratch.Graft(ctx, tree,
		[]git.Change{{Path: l.plan, NewMode: mode, NewID: newID}})
	return marked, true, err
}
