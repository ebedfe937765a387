package worktree_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/orchestrator/shared"
	"autobuild/orchestrator/worktree"
)

// drain empties a file, as a power cut does with one that was written and not synced.
func drain(t *testing.T, path string) {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, info.Mode().Perm()|0o200); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
}

// An agent's object that a power cut has left empty plays no part: the work lands from the files.
func TestHollowObjects(t *testing.T) {
	l := newLab(t)
	tree := l.open(l.begin(worktree.Auto), "p")
	put(t, tree.Dir, "new.txt", "the work\n")
	l.gitIn(tree.Dir, "add", "new.txt")
	id := l.gitIn(tree.Dir, "rev-parse", ":new.txt")
	drain(t, filepath.Join(tree.Dir, ".git", "objects", id[:2], id[2:]))
	again := l.begin(worktree.Auto)
	want(t, "delivered", l.land(again, l.open(again, "p")).Delivered, true)
	want(t, "landed", l.git("cat-file", "blob", "main:new.txt"), "the work")
	want(t, "fsck", l.git("fsck", "--strict"), "")
}

// An index of the desk that a power cut has left empty is made again.
func TestHollowIndexes(t *testing.T) {
	l := newLab(t)
	tree := l.open(l.begin(worktree.Auto), "p")
	put(t, tree.Dir, "new.txt", "the work\n")
	indexes, err := filepath.Glob(filepath.Join(l.top, ".autobuild", "git", "indexes", "p@*"))
	if err != nil || len(indexes) != 1 {
		t.Fatalf("the phase has the indexes %q: %v", indexes, err)
	}
	drain(t, indexes[0])
	again := l.begin(worktree.Auto)
	tree = l.open(again, "p")
	want(t, "work", words(tree.Reused, get(t, tree.Dir, "new.txt")), "true the work\n")
	want(t, "delivered", l.land(again, tree).Delivered, true)
}

// A run without worktrees that died between its commit and the user's index brings the index along
// when it goes on, unless the user has committed since.
func TestIndexCatchesUp(t *testing.T) {
	for _, since := range []bool{false, true} {
		l := newLab(t)
		opt := worktree.Options{RunID: "r1", StateDir: filepath.Join(l.top, ".autobuild"), Mode: worktree.Auto, PlanPath: filepath.Join(l.top, "plan.md")}
		begin := func() *shared.Dir {
			r := ok1(t, first(l.find(l.top)), nil)
			return ok1(t, first(shared.Begin(t.Context(), r, opt)), nil)
		}
		s := begin()
		p := ok1(t, first(s.Open(t.Context(), "p", false)), nil)
		l.write("new.txt", "the work\n")
		landed, err := s.Land(t.Context(), p, worktree.Landing{Message: "do p"})
		if err != nil {
			t.Fatal(err)
		}
		want(t, "refs", l.own("for-each-ref", "--format=%(refname)", "refs/autobuild"), "refs/autobuild/r1/base")
		l.own("update-ref", "refs/autobuild/r1/delivering", landed.Commit)
		l.git("rm", "-q", "--cached", "new.txt")
		status := ""
		if since {
			l.git("commit", "-q", "--allow-empty", "-m", "the user's")
			status = "?? new.txt"
		}
		begin()
		want(t, "status", l.status(), status)
		want(t, "refs", l.own("for-each-ref", "--format=%(refname)", "refs/autobuild"), "refs/autobuild/r1/base")
		want(t, "work", strings.TrimSpace(get(t, l.top, "new.txt")), "the work")
	}
}
