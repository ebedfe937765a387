package worktree_test

import (
	"os"
	"testing"

	"autobuild/orchestrator/worktree"
)

// A held tree lands unchanged after a reviewer has written to the phase's clone, and after the
// clone has been removed.
func TestHeld(t *testing.T) {
	for _, gone := range []bool{false, true} {
		l := newLab(t)
		line := l.begin(worktree.Auto)
		p := l.open(line, "p")
		put(t, p.Dir, "work.txt", "good\n")
		if err := line.Hold(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		put(t, p.Dir, "work.txt", "evil\n")
		if gone {
			if err := os.RemoveAll(p.Dir); err != nil {
				t.Fatal(err)
			}
		}
		l.land(line, p)
		want(t, "landed", l.git("show", "HEAD:work.txt"), "good")
	}
}
