package worktree_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/orchestrator/worktree"
)

// A submodule that the checkout has is in every worktree, from local objects. A phase's commit in
// it lands as its new commit and stays there; a phase's uncommitted files in it are refused by
// name.
func TestSubmodules(t *testing.T) {
	l := newLab(t)
	other := filepath.Join(t.TempDir(), "other")
	l.gitIn(filepath.Dir(other), "init", "-q", "-b", "main", other)
	put(t, other, "sub.txt", "sub\n")
	l.gitIn(other, "-c", "user.name=o", "-c", "user.email=o", "add", "-A")
	l.gitIn(other, "-c", "user.name=o", "-c", "user.email=o", "commit", "-qm", "sub")
	l.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", other, "lib")
	l.git("-C", "lib", "config", "user.name", "s")
	l.git("-C", "lib", "config", "user.email", "s")
	l.git("commit", "-qm", "with a submodule")
	want(t, "the source is gone", os.RemoveAll(other), nil)
	start := l.git("rev-parse", "HEAD:lib")

	line := l.begin(worktree.Auto)
	tree := l.open(line, "1")
	want(t, "present", get(t, tree.Dir, "lib/sub.txt"), "sub\n")
	want(t, "and clean", l.gitIn(tree.Dir, "status", "--porcelain"), "")
	put(t, tree.Dir, "lib/new.txt", "new\n")
	put(t, tree.Dir, "top.txt", "top\n")
	_, err := line.Changes(t.Context(), tree)
	want(t, "refused", err != nil && strings.Contains(err.Error(), "inside submodules, which are repositories of their own: lib"), true)
	tree = l.open(line, "1")
	want(t, "kept", get(t, tree.Dir, "lib/new.txt"), "new\n")

	l.gitIn(filepath.Join(tree.Dir, "lib"), "add", "-A")
	l.gitIn(filepath.Join(tree.Dir, "lib"), "commit", "-qm", "new")
	moved := l.gitIn(filepath.Join(tree.Dir, "lib"), "rev-parse", "HEAD")
	behind := l.open(line, "2") // begins before the submodule moves
	l.land(line, tree)
	want(t, "done", line.Done(t.Context(), tree), nil)
	want(t, "landed", words(l.git("rev-parse", "HEAD:lib"), start != moved), words(moved, true))
	want(t, "kept by a ref", l.git("-C", "lib", "for-each-ref", "--format=%(objectname)", "refs/autobuild"), moved)

	put(t, behind.Dir, "two.txt", "2\n")
	_, err = land(t.Context(), line, behind, worktree.Landing{Phase: "2", Verify: func(ctx context.Context, c worktree.Candidate) error {
		shown := ok1(t, first(line.Checkout(ctx)), nil)
		want(t, "shown", shown.Show(ctx, c.Tree), nil)
		want(t, "merged content has it", get(t, shown.Dir, "lib/new.txt"), "new\n")
		want(t, "closed", shown.Close(), nil)
		return nil
	}})
	want(t, "landed", err, nil)
	want(t, "not moved back", l.git("rev-parse", "HEAD:lib"), moved)
	want(t, "done", line.Done(t.Context(), behind), nil)
	left, _ := filepath.Glob(filepath.Join(l.top, ".git/modules/lib/worktrees/*"))
	want(t, "nothing left", len(left), 0)
}

// A submodule that the checkout does not have is not fetched; files written into its empty place
// are not lost without a report.
func TestSubmoduleNotSetUp(t *testing.T) {
	l := newLab(t)
	l.write(".gitmodules", "[submodule \"lib\"]\n\tpath = lib\n\turl = ../nowhere\n")
	l.git("add", "-A")
	l.git("update-index", "--add", "--cacheinfo", "160000,"+l.git("rev-parse", "HEAD")+",lib")
	l.git("commit", "-qm", "link")
	line := l.begin(worktree.Auto)
	tree := l.open(line, "1")
	put(t, tree.Dir, "one.txt", "1")
	_, err := line.Changes(t.Context(), tree)
	want(t, "fine", err, nil)
	put(t, tree.Dir, "lib/one.txt", "1")
	_, err = line.Changes(t.Context(), tree)
	want(t, "refused", err != nil && strings.Contains(err.Error(), "inside submodules"), true)
}
