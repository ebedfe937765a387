package git

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
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

// UpdateRefs makes all changes in one transaction, or none; why is the line of the reflog. A ref is
// moved only after its new value is durable: git syncs the file of each. After MarkUnsynced one
// flush of the file system covers these files and what the refs lead to.
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
	args := []string{"update-ref", "-m", "autobuild: " + why, "--stdin", "-z"}
	r.moving.Lock() // no ref moves while another call flushes what it leads to
	defer r.moving.Unlock()
	var err error
	unsynced := r.unsynced.Swap(false)
	if unsynced && flushes {
		err = r.flushAndMove(ctx, b.String(), args)
	} else {
		_, _, err = r.real(ctx, []byte(b.String()), nil, args...)
	}
	if err != nil && unsynced {
		r.unsynced.Store(true)
	}
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

// flushAndMove is a transaction of refs in two steps: git writes the new values into its lock
// files, and renames these after a flush of the file system.
func (r *Repository) flushAndMove(ctx context.Context, changes string, args []string) error {
	var failed error
	c := &coprocess{program: r.program, writes: true, command: command{
		dir: r.Top, env: map[string]string{"GIT_WORK_TREE": r.Top},
		args: gitDirArgs(r.GitDir, append([]string{"-c", "core.fsync=none"}, args...)...),
	}}
	_, _, err := r.guard(func() ([]byte, int, error) {
		defer c.end()
		return nil, 0, c.ask(ctx, func(w io.Writer, answers *bufio.Reader) error {
			err := request(w, answers, "start\x00"+changes+"prepare\x00", "start", "prepare")
			if err != nil {
				return err
			}
			later := r.takeLater()
			if failed = Flush(r.CommonDir, r.Top); failed != nil {
				for folder := range later {
					r.SyncLater(folder + "/")
				}
				return failed
			}
			return request(w, answers, "commit\x00", "commit")
		})
	})
	return cmp.Or(failed, err)
}

// request sends commands to git update-ref and reads one answer for each of the verbs.
func request(w io.Writer, answers *bufio.Reader, commands string, verbs ...string) error {
	if _, err := io.WriteString(w, commands); err != nil {
		return err //nolint:wrapcheck // the caller says how git ended
	}
	for _, verb := range verbs {
		answer, err := answers.ReadString('\n')
		if err != nil {
			return err //nolint:wrapcheck // as above
		}
		if answer != verb+": ok\n" {
			return fmt.Errorf("%w: git update-ref: %q", errAnswer, answer)
		}
	}
	return nil
}

// Updated lists the refs that UpdateRefs has changed, each with its newest value; empty: deleted.
func (r *Repository) Updated() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.moved)
}

// MarkUnsynced makes the next UpdateRefs flush the file system: a commit, or files of a worktree or
// the checkout, were written to which a ref will lead.
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
