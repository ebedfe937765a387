package worktree_test

import (
	"os"
	"path/filepath"
	"testing"

	"autobuild/orchestrator/worktree"
)

// A repository that was moved between two sessions goes on where it stopped, and so does a copy,
// which leaves the first alone.
func TestMovedAndCopied(t *testing.T) {
	l := newLab(t)
	tree := l.open(l.begin(worktree.Auto), "p")
	put(t, tree.Dir, "half.txt", "half\n")

	old, copied := l.top, filepath.Join(filepath.Dir(l.top), "copy")
	if err := os.CopyFS(copied, os.DirFS(old)); err != nil {
		t.Fatal(err)
	}
	for _, top := range []string{copied, old + "-moved"} {
		if top != copied {
			if err := os.Rename(old, top); err != nil {
				t.Fatal(err)
			}
		}
		there := *l
		there.top = top
		again := there.begin(worktree.Auto)
		tree = there.open(again, "p")
		want(t, "worktree", tree.Dir, filepath.Join(top, ".autobuild", "worktrees", "p"))
		want(t, "work", words(tree.Reused, get(t, tree.Dir, "half.txt")), "true half\n")
		put(t, tree.Dir, "half.txt", "whole in "+filepath.Base(top))
		want(t, "delivered", there.land(again, tree).Delivered, true)
		want(t, "in the checkout", get(t, top, "half.txt"), "whole in "+filepath.Base(top))
		if top == copied {
			want(t, "the first", get(t, old, ".autobuild/worktrees/p/half.txt"), "half\n")
		}
	}
}
