package worktree_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/orchestrator/worktree"
)

// A checkout shows exactly the tree that it is asked for, keeps what setup made, and looks like an
// ordinary clone.
func TestCheckout(t *testing.T) {
	l := newLab(t)
	l.write(".worktreeinclude", "local.env\n")
	l.write("local.env", "secret")
	l.write(".gitignore", "local.env\nnode_modules/\n*.log\n")
	l.git("add", ".worktreeinclude", ".gitignore")
	l.git("commit", "-q", "-m", "include")
	line := l.begin(worktree.Auto)
	refs := l.git("for-each-ref")
	p := l.open(line, "p")
	put(t, p.Dir, "p.txt", "p")
	put(t, p.Dir, "debug.log", "ignored, and so no part of the work")
	work := ok1(t, first(line.Candidate(t.Context(), p, worktree.Landing{})), nil)
	base := ok1(t, first(line.Content(t.Context(), "")), nil)

	c := ok1(t, first(line.Checkout(t.Context())), nil)
	show := func(tree string) { t.Helper(); want(t, "shown", c.Show(t.Context(), tree), nil) }
	show(work.Tree)
	want(t, "included", c.Include(t.Context()), nil)
	want(t, "content", words(get(t, c.Dir, "p.txt"), get(t, c.Dir, "local.env"), missing(c.Dir, "debug.log")), "p secret true")
	want(t, "not sealed", c.Intact(), false)
	put(t, c.Dir, "node_modules/dep/index.js", "made by setup")
	want(t, "sealed", words(c.Seal(t.Context()), c.Intact()), "<nil> true")

	want(t, "git agrees", l.gitIn(c.Dir, "status", "--porcelain"), "")
	want(t, "an ordinary clone", words(l.gitIn(c.Dir, "rev-parse", "--git-dir"), l.gitIn(c.Dir, "symbolic-ref", "HEAD") == l.git("symbolic-ref", "HEAD")), ".git true")
	place := strings.TrimPrefix(c.Dir, l.home)
	want(t, "no place of ours", strings.Contains(place, "autobuild") || strings.Contains(place, "worktree"), false)

	put(t, c.Dir, "junk.log", "left by a gate")
	put(t, c.Dir, "made/deep/junk.txt", "left by a gate")
	put(t, c.Dir, "p.txt", "changed by a gate")
	put(t, c.Dir, "node_modules/dep/cache.bin", "left by a gate")
	put(t, filepath.Dir(c.Dir), "conftest.py", "left by a gate")
	l.gitIn(c.Dir, "config", "core.fsmonitor", "evil")
	show(work.Tree)
	for _, name := range []string{"junk.log", "made", "node_modules/dep/cache.bin", "../conftest.py"} {
		want(t, name, missing(c.Dir, name), true)
	}
	want(t, "as it was", words(get(t, c.Dir, "p.txt"), get(t, c.Dir, "node_modules/dep/index.js"), c.Intact()), "p made by setup true")
	want(t, "git's settings", strings.Contains(get(t, c.Dir, ".git/config"), "evil"), false)

	show(base)
	want(t, "without the work", words(missing(c.Dir, "p.txt"), get(t, c.Dir, "local.env"), c.Intact()), "true secret true")
	put(t, c.Dir, "node_modules/dep/index.js", "made by a gate")
	show(base)
	want(t, "what setup made was changed", c.Intact(), false)
	c.Reset()
	show(base)
	want(t, "all of it goes", words(missing(c.Dir, "node_modules"), missing(c.Dir, "local.env")), "true true")

	want(t, "closed", c.Close(), nil)
	if _, err := os.Lstat(c.Dir); err == nil {
		t.Error("it is still there")
	}
	want(t, "no ref", l.git("for-each-ref"), refs)
}

// A file that has not changed keeps its times, so that caches stay warm; one that was changed and
// changed back does not.
func TestCheckoutKeepsTimes(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	base := ok1(t, first(line.Content(t.Context(), "")), nil)
	c := ok1(t, first(line.Checkout(t.Context())), nil)
	want(t, "shown", c.Show(t.Context(), base), nil)
	before := ok1(t, first(os.Stat(filepath.Join(c.Dir, "README.md"))), nil)
	want(t, "shown", c.Show(t.Context(), base), nil)
	after := ok1(t, first(os.Stat(filepath.Join(c.Dir, "README.md"))), nil)
	want(t, "same", before.ModTime().Equal(after.ModTime()), true)

	same := get(t, c.Dir, "README.md")
	put(t, c.Dir, "README.md", strings.Repeat("x", len(same))) // as long, and as old
	want(t, "set back", os.Chtimes(filepath.Join(c.Dir, "README.md"), before.ModTime(), before.ModTime()), nil)
	want(t, "shown", c.Show(t.Context(), base), nil)
	want(t, "content", get(t, c.Dir, "README.md"), same)
	want(t, "closed", c.Close(), nil)
}

// Trees are put together in memory: files of another tree, new ones, and none.
func TestCompose(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	base := ok1(t, first(line.Content(t.Context(), "")), nil)
	p := l.open(line, "p")
	put(t, p.Dir, "new.txt", "new")
	put(t, p.Dir, "README.md", "changed")
	work := ok1(t, first(line.Candidate(t.Context(), p, worktree.Landing{})), nil)
	tree := ok1(t, first(line.Compose(t.Context(), work.Work, base, []worktree.Put{
		{Path: "README.md", Base: true}, {Path: "new.txt", Base: true}, {Path: "dir/made.txt", Mode: "100644", Content: []byte("made")},
	})), nil)
	want(t, "names", words(strings.Fields(l.git("ls-tree", "-r", "--name-only", tree))), "[README.md dir/made.txt lines.txt plan.md]")
	want(t, "old", l.git("show", tree+":README.md"), l.git("show", base+":README.md"))
	edits := ok1(t, first(line.Difference(t.Context(), base, tree)), nil)
	want(t, "difference", words(len(edits), edits[0].Path, string(edits[0].New)), "1 dir/made.txt made")
	r := ok1(t, first(line.ReadTree(t.Context(), tree)), nil)
	data, found := r.Read("dir/made.txt", 100)
	_, large := r.Read("dir/made.txt", 3)
	_, none := r.Read("none", 100)
	want(t, "read", words(string(data), found, large, none, r.Mode("dir/made.txt"), r.Err()), "made true false false 100644 <nil>")
}
