package worktree_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"autobuild/internal/proc"
	"autobuild/orchestrator/worktree"
)

// An editor that looks at the repository holds its index for moments: that does not keep work out
// of the checkout.
func TestLockedForAMoment(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	tree := l.open(line, "p")
	put(t, tree.Dir, "new.txt", "new\n")
	l.write(".git/index.lock", "")
	met := 0
	l.run.Step = func(when proc.Moment, argv []string) error {
		if when == proc.After && slices.Contains(argv, "read-tree") && slices.Contains(argv, "-u") {
			if met++; met == 3 {
				return os.Remove(filepath.Join(l.top, ".git/index.lock"))
			}
		}
		return nil
	}
	want(t, "delivered", l.land(line, tree).Delivered, true)
	want(t, "tries", met, 4)
}
