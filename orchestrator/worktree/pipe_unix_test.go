//go:build unix

package worktree_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"autobuild/orchestrator/shared"
	"autobuild/orchestrator/worktree"
)

// Pipes among the work are no part of it, whether they are new or were a file before, with
// isolation and without, and without git.
func TestPipesInTheWork(t *testing.T) {
	work := func(t *testing.T, l *lab, dir string, land func() error) {
		t.Helper()
		put(t, dir, "new.txt", "new\n")
		for _, name := range []string{"pipe", "lines.txt"} {
			_ = os.Remove(filepath.Join(dir, name))
			if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want(t, "landed", land(), nil)
		want(t, "files", l.git("ls-tree", "--name-only", "HEAD"), "README.md\nnew.txt\nplan.md")
	}
	l := newLab(t)
	line := l.begin(worktree.Auto)
	tree := l.open(line, "p")
	work(t, l, tree.Dir, func() error {
		landed, err := land(t.Context(), line, tree, worktree.Landing{Phase: "p"})
		want(t, "delivered", landed.Delivered, true)
		return err
	})

	l = newLab(t)
	s := ok1(t, first(shared.Begin(t.Context(), ok1(t, first(l.find(l.top)), nil), worktree.Options{
		RunID: "r1", StateDir: filepath.Join(l.top, ".autobuild"), Mode: worktree.Auto, PlanPath: filepath.Join(l.top, "plan.md"),
	})), nil)
	place := ok1(t, first(s.Open(t.Context(), "p", false)), nil)
	work(t, l, l.top, func() error {
		_, err := s.Land(t.Context(), place, worktree.Landing{Phase: "p"})
		return err
	})

	dir := t.TempDir()
	s = shared.Open(dir, worktree.Options{})
	place = ok1(t, first(s.Open(t.Context(), "p", false)), nil)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	want(t, "without git, empty", ok1(t, first(s.Changes(t.Context(), place)), nil).Empty(), true)
}

// A pipe in the place of one of the files of a clone's git directory does not stop the landing.
func TestPipesInGit(t *testing.T) {
	for _, name := range []string{"HEAD", "index", "config", "packed-refs", "MERGE_HEAD"} {
		l := newLab(t)
		line := l.begin(worktree.Auto)
		tree := l.open(line, "p")
		put(t, tree.Dir, "new.txt", "new\n")
		pipe(t, filepath.Join(tree.Dir, ".git", name))
		if landed, err := land(t.Context(), line, tree, worktree.Landing{Phase: "p"}); err != nil || !landed.Delivered {
			t.Errorf("%s: got %v %v", name, landed, err)
		}
		if _, err := l.tryBegin(worktree.Auto); err != nil && !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func pipe(t *testing.T, path string) {
	t.Helper()
	_ = os.Remove(path)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}
