package worktree_test

import (
	"os"
	"path/filepath"
	"testing"

	"autobuild/orchestrator/worktree"
)

// A sample holds the line's tip, and what is done in it and to it concerns nobody: no ref, no phase, no delivery.
func TestSample(t *testing.T) {
	l := newLab(t)
	l.write(".worktreeinclude", "local.env\n")
	l.write("local.env", "secret")
	l.write(".gitignore", "local.env\n")
	l.git("add", ".worktreeinclude", ".gitignore")
	l.git("commit", "-q", "-m", "include")
	line := l.begin(worktree.Auto)
	refs := l.git("for-each-ref")
	base, err := line.Content(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	dir, _, err := line.Sample(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want(t, "content", get(t, dir, "README.md")+get(t, dir, "local.env"), get(t, l.top, "README.md")+"secret")
	want(t, "git agrees", l.gitIn(dir, "status", "--porcelain"), "")
	put(t, dir, "left.txt", "by a gate")
	want(t, "refs", l.git("for-each-ref"), refs)

	// After a crash it lies there still: the next one replaces it.
	dir, remove, err := line.Sample(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want(t, "left by a crash", words(missing(dir, "left.txt")), "true")
	if err = remove(); err != nil {
		t.Fatal(err)
	}
	if _, err = os.Lstat(dir); err == nil {
		t.Error("it is still there")
	}
	left, err := filepath.Glob(filepath.Join(l.top, ".git", "worktrees", "*"))
	want(t, "worktrees", words(len(left), err), "0 <nil>")

	p := l.open(line, "p")
	put(t, p.Dir, "p.txt", "p")
	landed := l.land(line, p)
	after, err := line.Content(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	of, err := line.Content(t.Context(), landed.Commit)
	want(t, "the tip moves", words(after == base, after == of, err), "false true <nil>")
}
