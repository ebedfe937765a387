package worktree_test

import (
	"os"
	"path/filepath"
	"testing"

	"autobuild/orchestrator/worktree"
)

// Worktrees are found below a directory whose name would be a pattern.
func TestNamedLikeAPattern(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	odd := filepath.Join(filepath.Dir(l.top), "[a]b[c")
	if err := os.Rename(l.top, odd); err != nil {
		t.Fatal(err)
	}
	l.top = odd
	line := l.begin(worktree.Auto)
	tree := l.open(line, "p")
	put(t, tree.Dir, "new.txt", "new\n")
	want(t, "delivered", l.land(line, tree).Delivered, true)
}
