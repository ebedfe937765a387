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
		want(t, "its git", there.gitIn(tree.Dir, "rev-parse", "--git-common-dir"), filepath.Join(top, ".git"))
		want(t, "work", words(tree.Reused, get(t, tree.Dir, "half.txt")), "true half\n")
		put(t, tree.Dir, "half.txt", "whole in "+filepath.Base(top))
		want(t, "delivered", there.land(again, tree).Delivered, true)
		want(t, "in the checkout", get(t, top, "half.txt"), "whole in "+filepath.Base(top))
		if top == copied {
			want(t, "the first", get(t, old, ".autobuild/worktrees/p/half.txt"), "half\n")
			want(t, "the first's git", l.gitIn(filepath.Join(old, ".autobuild", "worktrees", "p"), "rev-parse", "--git-common-dir"), filepath.Join(old, ".git"))
		}
	}
}

// A worktree that the user moved elsewhere stays theirs, and so does one that is locked for another
// reason and out of reach, on a drive say.
func TestWorktreesElsewhere(t *testing.T) {
	l := newLab(t)
	l.open(l.begin(worktree.Auto), "p")
	taken, drive := filepath.Join(t.TempDir(), "taken"), filepath.Join(t.TempDir(), "drive")
	l.git("worktree", "move", "-f", "-f", filepath.Join(".autobuild", "worktrees", "p"), taken)
	l.git("worktree", "add", "-q", "--lock", "--reason", "on a drive", drive)
	if err := os.Rename(drive, drive+"-away"); err != nil {
		t.Fatal(err)
	}
	before := l.git("worktree", "list", "--porcelain")
	l.begin(worktree.Auto)
	want(t, "worktrees", l.git("worktree", "list", "--porcelain"), before)
}
