package worktree

import (
	"context"
	"slices"
)

// queue holds the candidates that are being judged, in the order in which they were made. Each is
// merged on top of the one before it, which will probably land first. What lands is then the tree
// that was judged, although several were judged at the same time. Where one before it does not
// land, a candidate is merged and judged again. The fields of a queue belong to Line.refsLock.
type queue struct {
	waiting []queued
	changed chan struct{} // closed when a candidate leaves; nil: there is no waiter
}

// queued is one candidate.
type queued struct {
	phase string
	below string // tree on which it was merged
	tree  string // the candidate, with the plan's mark
	onto  string // commit whose tree is below
}

// put adds a phase's candidate, or replaces the one in its place.
func (q *queue) put(c queued) {
	i := q.at(c.phase)
	if i < 0 {
		q.waiting = append(q.waiting, c)
		return
	}
	q.waiting[i] = c
}

// drop removes a phase's candidate.
func (q *queue) drop(phase string) {
	i := q.at(phase)
	if i < 0 {
		return
	}
	q.waiting = slices.Delete(q.waiting, i, i+1)
	if q.changed != nil {
		close(q.changed)
		q.changed = nil
	}
}

func (q *queue) at(phase string) int {
	return slices.IndexFunc(q.waiting, func(c queued) bool { return c.phase == phase })
}

// below returns what a phase's candidate is merged with: the last candidate before it of those that
// stand on each other and on the tip; false: none does.
func (q *queue) below(phase, tip string) (last queued, ok bool) {
	last.tree = tip
	for _, c := range q.waiting {
		if c.phase == phase {
			break
		}
		if c.below == last.tree {
			last, ok = c, true
		}
	}
	return last, ok
}

// Ahead waits until no candidate stands before a phase's: each has landed or was given up.
func (l *Line) Ahead(ctx context.Context, phase string) error {
	for {
		release, err := take(ctx, l.refsLock)
		if err != nil {
			return err
		}
		if l.queue.at(phase) <= 0 {
			release()
			return nil
		}
		if l.queue.changed == nil {
			l.queue.changed = make(chan struct{})
		}
		changed := l.queue.changed
		release()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Withdraw takes a phase's candidate out of the queue. An attempt that ends does so.
func (l *Line) Withdraw(phase string) {
	l.refsLock <- struct{}{}
	defer func() { <-l.refsLock }()
	l.queue.drop(phase)
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
