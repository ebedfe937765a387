//go:build unix

package worktree_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/orchestrator/worktree"
)

// Files whose permissions an agent removed are opened again and taken: git would leave out a
// directory that it may not read, and report success.
func TestClosedFilesAreTaken(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything: see TestClosedForGood")
	}
	l := newLab(t)
	l.write("old/kept.txt", "kept\n")
	l.git("add", "-A")
	l.git("commit", "-q", "-m", "old")
	line := l.begin(worktree.Auto)
	tree := l.open(line, "p")
	put(t, tree.Dir, "new/deep/work.txt", "work\n")
	put(t, tree.Dir, "shut.txt", "shut\n")
	put(t, tree.Dir, "old/more.txt", "more\n")
	for _, name := range []string{"new/deep", "new", "shut.txt", "old"} {
		if err := os.Chmod(filepath.Join(tree.Dir, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	want(t, "delivered", l.land(line, tree).Delivered, true)
	want(t, "files", l.git("show", "--name-only", "--format=", "HEAD"), "new/deep/work.txt\nold/more.txt\nshut.txt")
	want(t, "kept", get(t, l.top, "old/kept.txt"), "kept\n")
}

// Where git is refused all the same, the phase answers for it, with the path, and the next attempt
// finds its work.
func TestClosedForGood(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	tree := l.open(line, "p")
	put(t, tree.Dir, "new.txt", "new\n")
	deep := strings.Repeat(strings.Repeat("d", 200)+"/", 8)
	dir := tree.Dir
	for range 3 { // deeper than a path may be long
		dir = filepath.Join(dir, deep)
		root, err := os.OpenRoot(tree.Dir)
		if err == nil {
			err = root.MkdirAll(strings.TrimPrefix(dir, tree.Dir+"/"), 0o700)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := line.Changes(t.Context(), tree)
	if shut, is := errors.AsType[*worktree.ShutError](err); !is || !strings.Contains(shut.Error(), "ddd") {
		t.Fatalf("got %v", err)
	}
	tree = l.open(line, "p")
	want(t, "reused", tree.Reused, true)
	if err := os.RemoveAll(filepath.Join(tree.Dir, strings.Repeat("d", 200))); err != nil {
		t.Fatal(err)
	}
	want(t, "delivered", l.land(line, tree).Delivered, true)
}
