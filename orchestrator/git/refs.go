package git

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
)

// Refs lists the refs that match patterns of git for-each-ref, by full name: the ids of their
// objects.
func (r *Repository) Refs(ctx context.Context, prefixes ...string) (map[string]string, error) {
	refs, _, err := r.RefsAndBranch(ctx, prefixes...)
	return refs, err
}

// RefsAndBranch is Refs, and says which of them is checked out; empty: none of them.
func (r *Repository) RefsAndBranch(ctx context.Context, prefixes ...string) (refs map[string]string, branch string, err error) {
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

// move is one step of a change of refs: to an empty value means to delete; an empty from means
// whatever there was.
type RefUpdate struct {
	Ref, New, Old string
	Create        bool // the ref must not exist
}

// UpdateRefs makes all the changes in one transaction, or none. What the refs vouch for is flushed
// to the disk before: a commit, the files of a worktree. Git syncs a ref as it moves it, and with
// it the names of all that was written before, but not the content.
func (r *Repository) UpdateRefs(ctx context.Context, why string, moves ...RefUpdate) error {
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
		case m.New == "":
			fmt.Fprintf(&b, "delete %s\x00%s\x00", m.Ref, m.Old)
		case m.Create:
			fmt.Fprintf(&b, "create %s\x00%s\x00", m.Ref, m.New)
		default:
			fmt.Fprintf(&b, "update %s\x00%s\x00%s\x00", m.Ref, m.New, m.Old)
		}
	}
	_, _, err := r.real(ctx, []byte(b.String()), nil, "update-ref", "-m", "autobuild: "+why, "--stdin", "-z")
	if failed, ok := errors.AsType[*ExitError](err); ok && failed.Ended != "" {
		for _, m := range moves {
			r.RemoveLocks(m.Ref)
		}
	}
	if err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.moved == nil {
			r.moved = map[string]string{}
		}
		for _, m := range moves {
			r.moved[m.Ref] = m.New
		}
	}
	return err
}

// Updated are the refs that this process has changed, each with the value that it gave; empty:
// deleted.
func (r *Repository) Updated() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.moved)
}

// MarkUnsynced says that something was written for which the next change of refs vouches.
func (r *Repository) MarkUnsynced() { r.unsynced.Store(true) }

// RevParse is the value of a ref, whether an object of that name is there or not.
func (r *Repository) RevParse(ctx context.Context, ref string) (string, error) {
	out, _, err := r.real(ctx, nil, nil, "rev-parse", "-q", "--verify", ref)
	return word(out), err
}

// CommitOf gives the commit that a ref points at.
func (r *Repository) CommitOf(ctx context.Context, ref string) (string, error) {
	return r.RevParse(ctx, ref+"^{commit}")
}

// HasCommit reports whether a commit is among the objects.
func (r *Repository) HasCommit(ctx context.Context, id string) bool {
	_, _, err := r.real(ctx, nil, nil, "cat-file", "-e", id+"^{commit}")
	return err == nil
}
