package git

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"autobuild/internal/safefile"
)

// Refs lists refs by full name, each with the id of its object. Patterns are those of git
// for-each-ref.
func (r *Repository) Refs(ctx context.Context, prefixes ...string) (map[string]string, error) {
	refs, _, err := r.RefsAndBranch(ctx, prefixes...)
	return refs, err
}

// RefsAndBranch is Refs and the one of them that is checked out; empty: none of them.
func (r *Repository) RefsAndBranch(
	ctx context.Context, prefixes ...string,
) (refs map[string]string, branch string, err error) {
	out, _, err := r.real(ctx, nil, nil,
		append([]string{"for-each-ref", "--format=%(HEAD)%(objectname) %(refname)"},
			prefixes...)...)
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

// RefsNamed gives those of some refs, by full name, that lead to an object, each with its id.
func (r *Repository) RefsNamed(ctx context.Context, names ...string) (map[string]string, error) {
	ids, err := r.resolve(ctx, names...)
	refs := map[string]string{}
	for i, id := range ids {
		if id != "" {
			refs[names[i]] = id
		}
	}
	return refs, err
}

// HasRefFile reports whether a file for a ref lies in the git directory; its content does not
// matter.
func (r *Repository) HasRefFile(ref string) bool {
	return safefile.Exists(filepath.Join(r.CommonDir, filepath.FromSlash(ref)))
}

// RefUpdate is one change of UpdateRefs.
type RefUpdate struct {
	Ref    string // full name
	New    string // the id of an object; empty: the ref is deleted
	Old    string // the value that the ref must have; empty: any
	Create bool   // the ref must not exist
}

// UpdateRefs makes all changes in one transaction, or none; why is the line of the reflog. After
// MarkUnsynced it flushes the file system first: git syncs a ref as it moves it, and with it the
// names of all files that were written before, but not their content.
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
	_, _, err := r.real(ctx, []byte(b.String()), nil, "update-ref", "-m", "autobuild: "+why,
		"--stdin", "-z")
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

// Updated lists the refs that UpdateRefs has changed, each with its newest value; empty: deleted.
func (r *Repository) Updated() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.moved)
}

// MarkUnsynced makes the next UpdateRefs flush the file system: a commit or files of a worktree
// were written to which a ref will lead.
func (r *Repository) MarkUnsynced() { r.unsynced.Store(true) }

// RevParse is the value of a ref, also where the object is missing.
func (r *Repository) RevParse(ctx context.Context, ref string) (string, error) {
	out, _, err := r.real(ctx, nil, nil, "rev-parse", "-q", "--verify", ref)
	return word(out), err
}

// CommitOf is the commit to which a ref leads.
func (r *Repository) CommitOf(ctx context.Context, ref string) (string, error) {
	found, err := r.resolve(ctx, ref+"^{commit}")
	if err == nil && found[0] == "" {
		err = notFound("commit", ref)
	}
	if err != nil {
		return "", err
	}
	return found[0], nil
}

// HasCommit reports whether a commit is among the objects.
func (r *Repository) HasCommit(ctx context.Context, id string) bool {
	found, err := r.resolve(ctx, id+"^{commit}")
	return err == nil && found[0] != ""
}
