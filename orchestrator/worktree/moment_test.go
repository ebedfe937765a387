package worktree_test

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"autobuild/internal/proc"
	"autobuild/orchestrator/worktree"
)

// before calls look before every git call whose words hold all of these.
func (l *lab) before(look func(), words ...string) {
	l.run.Step = func(when proc.Moment, argv []string) error {
		if when == proc.Before && !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(argv, w) }) {
			look()
		}
		return nil
	}
}

// The target of a delivery is written down before the first file is moved: a start after a crash
// could not distinguish the rest from the user's edits.
func TestIntendedBeforeItMoves(t *testing.T) {
	for _, mode := range []string{worktree.Auto, worktree.MessageOnly} {
		l := newLab(t)
		line := l.begin(mode)
		tree := l.open(line, "p")
		put(t, tree.Dir, "lines.txt", "all new\n")
		moves := 0
		l.before(func() {
			moves++
			want(t, mode+" intended", l.own("for-each-ref", "--format=%(refname)", "refs/autobuild/r1/delivering"), "refs/autobuild/r1/delivering")
		}, "read-tree", "-m", "-u")
		want(t, "delivered", l.land(line, tree).Delivered, true)
		want(t, "moves", moves, 1)
		_, err := line.Deliver(t.Context())
		want(t, "nothing is left", err, nil)
		want(t, "over", l.own("for-each-ref", "refs/autobuild/r1/delivering"), "")
	}
}

// Work that is brought onto a line that has moved is on a ref before its worktree is touched.
func TestCarriedWorkIsKept(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	tree := l.open(line, "p")
	put(t, tree.Dir, "mine.txt", "mine\n")
	l.landFile(line, "q", "q.txt", "q")
	kept, moves := path.Join("refs/autobuild/r1/work", "p"), 0
	l.before(func() {
		moves++
		want(t, "kept", l.own("show", kept+":mine.txt"), "mine")
	}, "read-tree", "-u")
	tree = l.open(line, "p")
	want(t, "carried", words(tree.Reused, get(t, tree.Dir, "mine.txt")+get(t, tree.Dir, "q.txt")), "true mine\nq")
	if moves == 0 {
		t.Error("the worktree was not touched")
	}
	want(t, "over", l.git("for-each-ref", kept), "")
}

// Cancellation does not interrupt a landing that has begun to write: it takes effect afterwards.
func TestStrokeWhileLanding(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	tree := l.open(line, "p")
	put(t, tree.Dir, "p.txt", "p\n")
	ctx, cancel := context.WithCancel(t.Context())
	l.before(cancel, "commit-tree", "-F")
	landed, err := land(ctx, line, tree, worktree.Landing{Phase: "p", Message: "do p"})
	want(t, "landed", words(landed.Delivered, landed.Undelivered, err, ctx.Err()), "true  <nil> context canceled")
	want(t, "head", l.git("rev-parse", "HEAD"), landed.Commit)
}

// A delivery that was cut off is finished also where the user has committed something else since.
func TestCutOffAndCommitted(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	tree := l.open(line, "p")
	put(t, tree.Dir, "README.md", "changed, and longer than before\n")
	put(t, tree.Dir, "lines.txt", "all new\n")
	l.write("README.md", "in the way\n") // so that the landing delivers nothing
	landed := l.land(line, tree)
	l.own("update-ref", "refs/autobuild/r1/delivering", landed.Commit)
	l.write("README.md", "changed, and longer than before\n") // as the delivery has left it
	l.write("mine.txt", "mine\n")
	l.git("add", "mine.txt")
	l.git("commit", "-q", "-m", "mine", "--", "mine.txt")
	line = l.begin(worktree.Auto)
	d, err := line.Finish(t.Context(), "all")
	want(t, "finish", words(d.Delivered, d.Why, err), "true  <nil>")
	want(t, "files", get(t, l.top, "README.md")+get(t, l.top, "lines.txt")+get(t, l.top, "mine.txt"), "changed, and longer than before\nall new\nmine\n")
	want(t, "status", l.status(), "")
	want(t, "state", missing(filepath.Join(l.top, ".git"), "index.lock"), true)
}

// A delivery to a commit without the user's later commits is not finished: it would take them back.
func TestCutOffBeforeTheUser(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	tree := l.open(line, "p")
	put(t, tree.Dir, "README.md", "changed\n")
	l.write("README.md", "in the way\n")
	landed := l.land(line, tree)
	l.git("checkout", "-q", "README.md")
	l.write("mine.txt", "mine\n")
	l.git("add", "mine.txt")
	l.git("commit", "-q", "-m", "mine")
	mine := l.git("rev-parse", "HEAD")
	l.begin(worktree.Auto) // takes it in
	l.own("update-ref", "refs/autobuild/r1/delivering", landed.Commit)
	l.begin(worktree.Auto)
	want(t, "the user's", get(t, l.top, "mine.txt"), "mine\n")
	l.git("merge-base", "--is-ancestor", mine, "HEAD")
	want(t, "over", l.own("for-each-ref", "refs/autobuild/r1/delivering"), "")
}
