package git

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Commit is one commit of a log.
type Commit struct {
	ID, Message string
}

// logFormat makes git log print the id of a commit and its message, each ended by NUL.
var logFormat = []string{"--first-parent", "--no-show-signature", "--encoding=UTF-8", "-z", "--format=%H%x00%B"}

// Log lists the commits from one to another along first parents, oldest first, the first left out.
// With paths, only those that changed one of them.
func (d *ScratchDir) Log(ctx context.Context, from, to string, paths ...string) ([]Commit, error) {
	if len(paths) == 0 {
		if commits, ok, err := d.line.log(ctx, d.objects, from, to); ok || err != nil {
			return commits, err
		}
	}
	out, _, err := d.do(ctx, Files{}, nil, nil, logArgs("--reverse", from+".."+to, paths)...)
	if err != nil {
		return nil, err
	}
	return parseLog(out), nil
}

// Newest lists the newest commits along first parents, newest first, at most some.
func (d *ScratchDir) Newest(ctx context.Context, tip string, most int) ([]Commit, error) {
	out, _, err := d.do(ctx, Files{}, nil, nil, logArgs("--max-count="+strconv.Itoa(most), tip, nil)...)
	return parseLog(out), err
}

func logArgs(option, revisions string, paths []string) []string {
	args := append(append([]string{"log"}, logFormat...), option, revisions, "--")
	return append(args, paths...)
}

func parseLog(out []byte) []Commit {
	parts := strings.Split(string(out), "\x00")
	var found []Commit
	for i := 0; i+1 < len(parts); i += 2 {
		found = append(found, Commit{ID: parts[i], Message: parts[i+1]})
	}
	return found
}

// LastDeletion names the newest commit that deleted a path; empty where none did.
func (d *ScratchDir) LastDeletion(ctx context.Context, tip, path string) (string, error) {
	return d.ask(ctx, Files{}, nil, "log", "-1", "--format=%H", "--no-renames", "--diff-filter=D", tip, "--", path)
}

// MergeBase is the best common ancestor of the first commit and a merge of the others; empty where
// there is none.
func (d *ScratchDir) MergeBase(ctx context.Context, commit string, others ...string) (string, error) {
	out, code, err := d.do(ctx, Files{}, nil, []int{1}, append([]string{"merge-base", commit}, others...)...)
	if err != nil || code != 0 {
		return "", err
	}
	return word(out), nil
}

// IsAncestor reports whether commit a is b or an ancestor of b.
func (d *ScratchDir) IsAncestor(ctx context.Context, a, b string) (bool, error) {
	if a == b && isObjectName(a) {
		return true, nil
	}
	_, code, err := d.do(ctx, Files{}, nil, []int{1}, "merge-base", "--is-ancestor", a, b)
	return err == nil && code == 0, err
}

// IsAhead reports whether a commit can be reached from tip and not from base, merges aside.
func (d *ScratchDir) IsAhead(ctx context.Context, tip, base string) (bool, error) {
	if c, err := d.objects.commit(ctx, tip); err == nil && len(c.parents) == 1 && c.parents[0] == base {
		return true, nil
	}
	out, _, err := d.do(ctx, Files{}, nil, nil, "rev-list", "--no-merges", "--max-count=1", tip, "^"+base)
	return len(out) > 0, err
}

// Log lists the commits from one to another along first parents, oldest first, the first left out.
func (r *Repository) Log(ctx context.Context, from, to string) ([]Commit, error) {
	out, _, err := r.real(ctx, nil, nil, logArgs("--reverse", from+".."+to, nil)...)
	return parseLog(out), err
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
func (p *firstParents) log(ctx context.Context, r *objectReader, from, to string) (commits []Commit, ok bool, err error) {
	if !isObjectName(from) || !isObjectName(to) {
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
			return nil, false, nil // git log knows where a shallow history ends
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
