package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
)

// Refs lists refs by full name, each with the id of its object. Patterns are those of git
// for-each-ref.
func (r *Repository) Refs(ctx context.Context, prefixes ...string) (map[string]string, error) {
	out, _, err := r.real(ctx, nil, nil,
		append([]string{"for-each-ref", "--format=%(objectname) %(refname)"}, prefixes...)...)
	if err != nil {
		return nil, err
	}
	refs := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if id, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok {
			refs[name] = id
		}
	}
	return refs, nil
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

// RefUpdate is one change of UpdateRefs.
type RefUpdate struct {
	Ref    string // full name
	New    string // the id of an object; empty: the ref is deleted
	Old    string // the value that the ref must have; empty: any
	Create bool   // the ref must not exist
}

// UpdateRefs makes all changes in one transaction, or none; why is the line of the reflog. After
// MarkUnsynced it flushes the file system first. Git syncs each ref file; UpdateRefs syncs the
// folders, because a power cut could otherwise lose the rename and keep later files.
func (r *Repository) UpdateRefs(ctx context.Context, why string, moves ...RefUpdate) error {
	if len(moves) == 0 {
		return nil
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
	r.moving.Lock() // no ref moves while another call flushes what it leads to
	defer r.moving.Unlock()
	if r.unsynced.Swap(false) {
		if err := Flush(r.CommonDir, r.Top); err != nil {
			r.unsynced.Store(true)
			return err
		}
	}
	_, _, err := r.real(ctx, []byte(b.String()), nil,
		"update-ref", "-m", "autobuild: "+why, "--stdin", "-z")
	if failed, ok := errors.AsType[*ExitError](err); ok && failed.Ended != "" {
		for _, m := range moves {
			r.RemoveLocks(m.Ref)
		}
	}
	for _, m := range moves {
		if err == nil {
			err = syncFolder(filepath.Dir(filepath.Join(r.CommonDir, filepath.FromSlash(m.Ref))))
		}
	}
	return err
}

// syncFolder syncs a folder of refs; a missing one is packed, or kept in another way.
func syncFolder(dir string) error {
	f, err := safefile.OpenDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) ||
		errors.Is(err, fs.ErrPermission) {
		return nil // Windows and some network file systems cannot sync a folder
	}
	if err != nil {
		return fmt.Errorf("flushing %s: %w; see that the disk is not full", text.Quote(dir), err)
	}
	return nil
}

// MarkUnsynced makes the next UpdateRefs flush the file system: a commit, or files of a worktree or
// the checkout, were written to which a ref will lead.
func (r *Repository) MarkUnsynced() { r.unsynced.Store(true) }

// RevParse is the value of a ref, also where the object is missing.
func (r *Repository) RevParse(ctx context.Context, ref string) (string, error) {
	out, _, err := r.real(ctx, nil, nil, "rev-parse", "-q", "--verify", ref)
	return word(out), err
}
