package worktree_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/orchestrator/worktree"
)

// Clones of former runs: half-made ones are made anew; another run's work is committed to its
// branch.
func TestStaleWorktrees(t *testing.T) {
	l := newLab(t)
	l.git("worktree", "add", "-q", filepath.Join(t.TempDir(), "users"), "-b", "users")
	old := ok1(t, first(l.beginAs("r0", worktree.Auto)), nil)
	kept, gone := l.open(old, "kept"), l.open(old, "gone")
	put(t, kept.Dir, "work.txt", "unfinished")
	_ = os.RemoveAll(gone.Dir)
	half := l.open(old, "half")
	_ = os.Remove(filepath.Join(half.Dir, ".git", "index"))

	line := ok1(t, first(l.beginAs("r1", worktree.Auto)), nil)
	tree := l.open(line, "kept")
	want(t, "kept", words(tree.Kept, tree.Reused, missing(tree.Dir, "work.txt")), "autobuild/r0/kept false true")
	want(t, "old work", l.own("show", "autobuild/r0/kept:work.txt"), "unfinished")
	for _, phase := range []string{"gone", "half"} {
		l.landFile(line, phase, phase+".txt", "x")
	}
	stray := filepath.Join(l.top, ".autobuild", "worktrees", "stray")
	put(t, stray, "README.md", "whose?\n")
	tree = l.open(line, "stray")
	want(t, "stray", words(tree.Kept, l.git("show", tree.Kept+":README.md")), "autobuild/r1/stray.kept-1 whose?")
}

// A phase called as the line's own branch, or with a name that leads elsewhere.
func TestNames(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	want(t, "delivered", l.landFile(line, "integration", "a", "a").Delivered, true)
	for _, name := range []string{"", "..", "../x", "a/b", "-x", ".x", "a..b", "x.lock", "x.", "a b", "a\n", "é", strings.Repeat("x", 300)} {
		if _, err := line.Open(t.Context(), name, false); err == nil {
			t.Errorf("%q was opened", name)
		}
		if _, err := l.beginAs(name, worktree.Auto); err == nil {
			t.Errorf("run %q began", name)
		}
	}
	if err := line.Done(t.Context(), worktree.Tree{Phase: "never"}); err == nil {
		t.Error("a phase that did not land is done")
	}
	want(t, "string", fmt.Sprint(line)[:len("line autobuild/r1/integration at ")], "line autobuild/r1/integration at ")
}
