package worktree_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"autobuild/orchestrator/worktree"
)

// One phase's whole life, against the same by git's own commands: a worktree, a commit, a merge
// into the checkout, and removal.
func BenchmarkPhase(b *testing.B) {
	setup := func(b *testing.B) *lab {
		b.Helper()
		l := newLab(b)
		for i := range 500 {
			l.write(fmt.Sprintf("pkg%d/file%d.go", i%20, i), numbered(20))
		}
		l.git("add", "-A")
		l.git("commit", "-qm", "files")
		return l
	}
	b.Run("worktree", func(b *testing.B) {
		l := setup(b)
		line := l.begin(worktree.Auto)
		n := 0
		for b.Loop() {
			n++
			l.landFile(line, fmt.Sprintf("p%d", n), fmt.Sprintf("new%d.txt", n), "x")
		}
	})
	b.Run("git", func(b *testing.B) {
		l := setup(b)
		n := 0
		for b.Loop() {
			n++
			phase := fmt.Sprintf("p%d", n)
			dir := filepath.Join(l.top, ".autobuild", phase)
			l.git("worktree", "add", "-q", "-b", phase, dir)
			put(b, dir, fmt.Sprintf("new%d.txt", n), "x")
			l.gitIn(dir, "add", "-A")
			l.gitIn(dir, "-c", "core.fsync=all", "commit", "-q", "-m", phase)
			l.git("merge", "-q", phase)
			l.git("worktree", "remove", dir)
			l.git("branch", "-q", "-D", phase)
		}
	})
}
