package worktree

import "slices"

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
