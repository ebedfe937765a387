package worktree_test

import (
	"os"
	"path/filepath"
	"testing"

	"autobuild/orchestrator/worktree"
)

// A start that has nothing to do leaves no branch behind, also when the one before it was killed
// first.
func TestKilledBeforeLeaving(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	tree := l.open(line, "p")
	put(t, tree.Dir, "p.txt", "p")
	l.land(line, tree)
	want(t, "done", line.Done(t.Context(), tree), nil)
	_, err := line.Finish(t.Context(), "")
	want(t, "finish", err, nil)
	l.begin(worktree.Auto) // this one never comes back
	want(t, "leave", l.begin(worktree.Auto).Leave(t.Context()), nil)
	want(t, "branches", l.git("for-each-ref", "--format=%(refname)", "refs/heads"), "refs/heads/main")
}

// Locks that a killed git left on the run's own refs are gone at the next start; the user's locks
// are not touched.
func TestKilledGitsLocks(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	tree := l.open(line, "p")
	mine := []string{"refs/autobuild/r1/base.lock", "refs/heads/autobuild/r1/integration.lock"}
	own := filepath.Join(l.top, ".autobuild", "git")
	halfway := []string{"indexes/checkout-1.lock", ".autobuild-1", "indexes/.autobuild-2", "info/.autobuild-4"}
	for _, name := range halfway {
		put(t, own, name, "")
	}
	theirs := []string{"refs/heads/main.lock", "refs/autobuild/r2/base.lock", "config.lock"}
	for _, name := range append(mine, theirs...) {
		put(t, filepath.Join(l.top, ".git"), name, "")
	}
	l.begin(worktree.Auto)
	for _, name := range mine {
		want(t, name+" is gone", missing(filepath.Join(l.top, ".git"), name), true)
	}
	for _, name := range halfway {
		want(t, name+" is gone", missing(own, name), true)
	}
	for _, name := range theirs {
		want(t, name+" is gone", missing(filepath.Join(l.top, ".git"), name), false)
		if err := os.Remove(filepath.Join(l.top, ".git", name)); err != nil {
			t.Error(err)
		}
	}
	put(t, tree.Dir, "p.txt", "p")
	l.land(l.begin(worktree.Auto), tree)
}
