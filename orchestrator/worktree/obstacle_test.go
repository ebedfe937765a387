package worktree_test

import (
	"os"
	"path/filepath"
	"testing"

	"autobuild/orchestrator/worktree"
)

// A delivery does not overwrite the user's files under ignored names, though git's own checkout
// would: not as a file, not in the way of one, and not below a directory that becomes a file.
func TestIgnoredFilesAreKept(t *testing.T) {
	for _, c := range []struct{ name, mine, theirs, why string }{
		{"file", ".env", ".env", "untracked .env"},
		{"on the way", "build", "build/out.txt", "untracked build"},
		{"below", "build/deep/out.txt", "build", "untracked build/deep/out.txt"},
	} {
		for _, mode := range []string{worktree.Auto, worktree.MessageOnly} {
			t.Run(c.name+" "+mode, func(t *testing.T) {
				t.Parallel()
				l := newLab(t)
				l.write(".gitignore", ".env\nbuild\n")
				l.git("add", "-A")
				l.git("commit", "-q", "-m", "ignore")
				l.write(c.mine, "mine\n")
				line := l.begin(mode)
				tree := l.open(line, "p")
				put(t, tree.Dir, c.theirs, "theirs\n")
				l.gitIn(tree.Dir, "add", "-f", c.theirs)
				want(t, "undelivered", l.land(line, tree).Undelivered.String(), c.why)
				want(t, "mine", get(t, l.top, c.mine), "mine\n")

				if err := os.RemoveAll(filepath.Join(l.top, filepath.Dir(c.mine+"/x"))); err != nil {
					t.Fatal(err)
				}
				if err := os.RemoveAll(filepath.Join(l.top, "build")); err != nil {
					t.Fatal(err)
				}
				d := ok1(t, first(line.Deliver(t.Context())), nil)
				want(t, "moved away", words(d.Delivered, get(t, l.top, c.theirs)), "true theirs\n")
			})
		}
	}
}

// An ignored file that already has its future content is no obstacle.
func TestIgnoredFileInPlace(t *testing.T) {
	l := newLab(t)
	l.write(".gitignore", "made.txt\n")
	l.git("add", "-A")
	l.git("commit", "-q", "-m", "ignore")
	l.write("made.txt", "the same\n")
	line := l.begin(worktree.Auto)
	tree := l.open(line, "p")
	put(t, tree.Dir, "made.txt", "the same\n")
	l.gitIn(tree.Dir, "add", "-f", "made.txt")
	want(t, "delivered", words(l.land(line, tree).Delivered, l.status()), "true ")
}
