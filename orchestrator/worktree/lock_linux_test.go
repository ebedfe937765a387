package worktree_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"autobuild/orchestrator/worktree"
)

// A git that dies while it delivers leaves the user's index locked. The next start finishes the
// delivery all the same. It keeps every lock that may be another program's: one that is older,
// holds something, or is held.
func TestDeadGitsIndexLock(t *testing.T) {
	for name, c := range map[string]struct {
		change func(t *testing.T, lock string)
		gone   bool
	}{
		"dead": {func(*testing.T, string) {}, true},
		"older": {func(t *testing.T, lock string) {
			ok1(t, lock, os.Chtimes(lock, time.Time{}, time.Now().Add(-time.Hour)))
		}, false},
		"full": {func(t *testing.T, lock string) { ok1(t, lock, os.WriteFile(lock, []byte("DIRC"), 0o600)) }, false},
		"held": {func(t *testing.T, lock string) {
			f, err := os.Open(lock)
			ok1(t, f, err)
			t.Cleanup(func() { _ = f.Close() })
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			line := l.begin(worktree.Auto)
			tree := l.open(line, "p")
			put(t, tree.Dir, "lines.txt", "all new\n")
			put(t, tree.Dir, "new.txt", "new\n")
			l.write("new.txt", "in the way\n") // so that the landing delivers nothing
			landed := l.land(line, tree)
			l.own("update-ref", "refs/autobuild/r1/delivering", landed.Commit)
			l.write("new.txt", "new\n")
			lock := filepath.Join(l.top, ".git", "index.lock")
			put(t, filepath.Dir(lock), "index.lock", "")
			c.change(t, lock)
			d, err := l.begin(worktree.Auto).Finish(t.Context(), "")
			want(t, "finish", words(d.Delivered, err), words(c.gone, "<nil>"))
			want(t, "lock gone", missing(filepath.Dir(lock), "index.lock"), c.gone)
		})
	}
}
