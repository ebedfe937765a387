package git

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// Commit is one commit of a log.
type Commit struct {
	ID, Message string
}

// firstParents keeps the newest answer of Log without paths.
type firstParents struct {
	mu      sync.Mutex
	from    string
	commits []Commit // oldest first
}

// maxLine is how many new commits are read one by one before git log is asked.
const maxLine = 1000

// log is Log without paths, where from is met among the first parents of to. It reads only commits
// that came after those of the last call. ok is false where git log has to answer.
func (p *firstParents) log(
	ctx context.Context, r *objectReader, from, to string,
) (commits []Commit, ok bool, err error) {
	if commitID(from) == "" || commitID(to) == "" {
		return nil, false, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var known, newer []Commit
	for id := to; id != from; {
		if i := p.position(from, id); i >= 0 {
			known = p.commits[:i+1]
			break
		}
		c, err := r.commit(ctx, id)
		if _, missing := errors.AsType[*ExitError](err); missing {
			return nil, false, nil // only git log can find the end of a shallow history
		}
		if err != nil || c.coded || len(c.parents) == 0 || len(newer) == maxLine {
			return nil, false, err
		}
		newer = append(newer, Commit{ID: id, Message: c.message})
		id = c.parents[0]
	}
	slices.Reverse(newer)
	p.from, p.commits = from, append(slices.Clip(known), newer...)
	return slices.Clip(p.commits), true, nil
}

// position finds a commit in the newest answer; -1 where it is not there.
func (p *firstParents) position(from, id string) int {
	for i := len(p.commits) - 1; i >= 0 && p.from == from; i-- {
		if p.commits[i].ID == id {
			return i
		}
	}
	return -1
}
