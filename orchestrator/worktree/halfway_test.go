package worktree_test

import (
	"os"
	"path/filepath"
	"testing"

	"autobuild/orchestrator/worktree"
)

// A delivery takes files away to write them anew. One that is cut off in between, by the death of
// its git or of the power, is finished by the next start: it writes missing and partial files, and
// a person's later files stay.
func TestCutOffDelivery(t *testing.T) {
	for _, mode := range []string{worktree.Auto, worktree.MessageOnly} {
		t.Run(mode, func(t *testing.T) {
			l := newLab(t)
			line := l.begin(mode)
			tree := l.open(line, "p")
			put(t, tree.Dir, "README.md", "changed, and longer than before\n")
			put(t, tree.Dir, "lines.txt", "all new\n")
			l.write("README.md", "in the way\n") // so that the landing delivers nothing
			landed := l.land(line, tree)
			want(t, "undelivered", words(landed.Delivered, landed.Undelivered), "false changed README.md")
			want(t, "intended", l.own("for-each-ref", "refs/autobuild/r1/delivering"), "")

			l.own("update-ref", "refs/autobuild/r1/delivering", landed.Commit)
			l.write("README.md", "changed, and lon")
			if err := os.Remove(filepath.Join(l.top, "lines.txt")); err != nil {
				t.Fatal(err)
			}
			locks := ok1(t, first(filepath.Glob(filepath.Join(l.top, ".autobuild", "git", "indexes", "*"))), nil)
			for _, index := range locks { // a git that died has these
				put(t, filepath.Dir(index), filepath.Base(index)+".lock", "")
			}
			line = l.begin(mode)
			want(t, "files", get(t, l.top, "README.md")+get(t, l.top, "lines.txt"), "changed, and longer than before\nall new\n")
			d, err := line.Finish(t.Context(), "all")
			want(t, "finish", words(d.Delivered, d.Why, err), "true  <nil>")
		})
	}
	l := newLab(t)
	line := l.begin(worktree.Auto)
	tree := l.open(line, "p")
	put(t, tree.Dir, "lines.txt", "all new\n")
	l.write("lines.txt", "mine\n")
	landed := l.land(line, tree)
	l.own("update-ref", "refs/autobuild/r1/delivering", landed.Commit)
	l.begin(worktree.Auto)
	want(t, "the user's", get(t, l.top, "lines.txt"), "mine\n")
}
