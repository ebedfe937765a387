package worktree

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
)

// Refs lists the refs that match patterns of git for-each-ref, by full name: the ids of their
// objects.
func (r *Repo) Refs(ctx context.Context, prefixes ...string) (map[string]string, error) {
	refs, _, err := r.RefsAndBranch(ctx, prefixes...)
	return refs, err
}

// RefsAndBranch is Refs, and says which of them is checked out; empty: none of them.
func (r *Repo) RefsAndBranch(ctx context.Context, prefixes ...string) (refs map[string]string, branch string, err error) {
	out, _, err := r.real(ctx, nil, nil, append([]string{"for-each-ref", "--format=%(HEAD)%(objectname) %(refname)"}, prefixes...)...)
	if err != nil {
		return nil, "", err
	}
	refs = map[string]string{}
	for line := range strings.Lines(string(out)) {
		id, name, ok := strings.Cut(strings.TrimSuffix(line[1:], "\n"), " ")
		if !ok {
			continue
		}
		refs[name] = id
		if line[0] == '*' {
			branch = name
		}
	}
	return refs, branch, nil
}

// move is one step of a change of refs: to an empty value means to delete; an empty from means whatever there was.
type move struct {
	ref, to, from string
	create        bool // the ref must not exist
}

// UpdateRefs makes all the changes in one transaction, or none. What the refs vouch for is flushed
// to the disk before: a commit, the files of a worktree. Git syncs a ref as it moves it, and with it
// the names of all that was written before, but not the content.
func (r *Repo) UpdateRefs(ctx context.Context, why string, moves ...move) error {
	if len(moves) == 0 {
		return nil
	}
	if r.unsynced.Swap(false) {
		if err := Flush(r.CommonDir); err != nil {
			r.unsynced.Store(true)
			return err
		}
	}
	var b strings.Builder
	for _, m := range moves {
		switch {
		case m.to == "":
			fmt.Fprintf(&b, "delete %s\x00%s\x00", m.ref, m.from)
		case m.create:
			fmt.Fprintf(&b, "create %s\x00%s\x00", m.ref, m.to)
		default:
			fmt.Fprintf(&b, "update %s\x00%s\x00%s\x00", m.ref, m.to, m.from)
		}
	}
	_, _, err := r.real(ctx, []byte(b.String()), nil, "update-ref", "-m", "autobuild: "+why, "--stdin", "-z")
	if failed, ok := errors.AsType[*gitError](err); ok && failed.Ended != "" {
		for _, m := range moves {
			r.RemoveLocks(m.ref)
		}
	}
	if err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.moved == nil {
			r.moved = map[string]string{}
		}
		for _, m := range moves {
			r.moved[m.ref] = m.to
		}
	}
	return err
}

// Updated are the refs that this process has changed, each with the value that it gave; empty:
// deleted.
func (r *Repo) Updated() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.moved)
}

// MarkUnsynced says that something was written for which the next change of refs vouches.
func (r *Repo) MarkUnsynced() { r.unsynced.Store(true) }
