package worktree

import "context"

// Candidate merges the phase's work with the line's tip and lands nothing. Where other candidates
// are being judged, it is merged on top of them, if git can: they will probably land before it.
// Until Drop or a landing it stands in the queue. Errors are those of Land.
func (l *Line) Candidate(ctx context.Context, t Tree, how Landing) (Candidate, error) {
	if how.Phase == "" {
		how.Phase = t.Phase
	}
	m, err := l.prepare(ctx, t, how)
	if err != nil {
		return Candidate{}, err
	}
	if !m.landed.Already {
		if m, err = l.enqueue(ctx, t, how, m); err != nil {
			return Candidate{}, err
		}
	}
	return m.candidate(t), nil
}

// enqueue puts a phase's candidate into the queue, merged with those before it where there are any
// and git can merge them. Else m stays as it is.
func (l *Line) enqueue(ctx context.Context, t Tree, how Landing, m merged) (merged, error) {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return merged{}, err
	}
	defer release()
	mine := queued{phase: how.Phase, onto: m.tip}
	if mine.below, err = l.scratch.TreeOf(ctx, m.tip); err != nil {
		return merged{}, err
	}
	if last, ok := l.queue.below(how.Phase, mine.below); ok {
		onto, err := l.scratch.CommitUnsigned(ctx, last.tree, last.onto)
		if err != nil {
			return merged{}, err
		}
		on, err := l.mergeOnto(ctx, t, how, m, onto)
		if err != nil {
			return merged{}, err
		}
		if on.ahead {
			m, mine.below, mine.onto = on, last.tree, onto
		}
	}
	mine.tree = m.marked
	l.queue.put(mine)
	return m, nil
}

// mergeOnto is m on another commit than the tip. It is unchanged where the two conflict.
func (l *Line) mergeOnto(
	ctx context.Context, t Tree, how Landing, m merged, onto string,
) (merged, error) {
	work, err := l.scratch.CommitUnsigned(ctx, m.work.tree, t.Base)
	if err != nil {
		return merged{}, err
	}
	tree, clashes, err := l.scratch.MergeTree(ctx, t.Dir, onto, work)
	if err != nil || len(clashes) > 0 {
		return m, err
	}
	on := merged{tip: onto, tree: tree, work: m.work, moved: true, ahead: true}
	on.marked, on.landed.Marked, err = l.mark(ctx, tree, how.Mark)
	return on, err
}
