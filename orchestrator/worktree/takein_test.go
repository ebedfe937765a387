package worktree_test

import (
	"os"
	"path/filepath"
	"testing"

	"autobuild/orchestrator/worktree"
	"autobuild/orchestrator/worktree/delivery"
)

// The user moves a file in the way and merges the line by hand, as advised: then nothing is left to
// deliver, no commit is added to the user's branch, and none is taken from it, however often the
// run is resumed.
func TestMergedByHand(t *testing.T) {
	type words []string
	for _, c := range []struct {
		name, mode string
		merge      []words
	}{
		{"forward", worktree.Auto, []words{{"merge", "-q", "autobuild/r1/integration"}}},
		{"beside a commit of theirs", worktree.Auto, []words{
			{"add", "keep.txt"}, {"commit", "-qm", "own"}, {"merge", "-q", "--no-edit", "autobuild/r1/integration"},
		}},
		{"forward, and a commit of theirs", worktree.Auto, []words{
			{"merge", "-q", "autobuild/r1/integration"}, {"add", "keep.txt"}, {"commit", "-qm", "own"},
		}},
		{"as files", worktree.MessageOnly, []words{{"merge", "-q", "--squash", "autobuild/r1/integration"}, {"commit", "-qm", "mine"}}},
		{"as one commit", worktree.Single, []words{
			{"merge", "-q", "--squash", "autobuild/r1/integration"}, {"add", "keep.txt"}, {"commit", "-qm", "mine"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			line := l.begin(c.mode)
			l.write("new.txt", "mine\n")
			l.landFile(line, "p", "new.txt", "theirs\n")
			l.landFile(line, "q", "q.txt", "q\n")
			d := ok1(t, first(line.Finish(t.Context(), "all")), nil)
			want(t, "in the way", d.Why, delivery.Obstacle{Code: delivery.Untracked, Path: "new.txt"})
			line = l.begin(c.mode)
			want(t, "not yet", ok1(t, first(line.Arrived(t.Context())), nil), false)

			if err := os.Rename(filepath.Join(l.top, "new.txt"), filepath.Join(l.top, "keep.txt")); err != nil {
				t.Fatal(err)
			}
			for _, args := range c.merge {
				l.git(args...)
			}
			head := l.git("rev-parse", "HEAD")
			for range 3 {
				line = l.begin(c.mode)
				want(t, "arrived", ok1(t, first(line.Arrived(t.Context())), nil), true)
				d = ok1(t, first(line.Finish(t.Context(), "all")), nil)
				want(t, "delivered", d.Delivered, true)
				want(t, "their branch", l.git("rev-parse", "HEAD"), head)
			}
			want(t, "files", get(t, l.top, "keep.txt")+get(t, l.top, "new.txt")+get(t, l.top, "q.txt"), "mine\ntheirs\nq\n")
			want(t, "branches", l.git("for-each-ref", "--format=%(refname:short)", "refs/heads/"), "main")
		})
	}
}

// The line continues from the user's commits.
func TestTakenIn(t *testing.T) {
	l := newLab(t)
	l.begin(worktree.Auto)
	l.write("user.txt", "user\n")
	l.git("add", "user.txt")
	l.git("commit", "-qm", "user")
	l.begin(worktree.Auto)
	want(t, "line", l.own("rev-parse", "autobuild/r1/integration"), l.git("rev-parse", "HEAD"))
}
