package worktree_test

import (
	"errors"
	"strings"
	"testing"

	"autobuild/orchestrator/git"
	"autobuild/orchestrator/worktree"
)

// A run whose refs are gone, as in a fresh clone beside a kept state directory, is resumed: its
// delivered commits count.
func TestRefsAreGone(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	p := l.open(line, "p")
	put(t, p.Dir, "p.txt", "p\n")
	landed, err := land(t.Context(), line, p, worktree.Landing{Key: "k1", Verdict: "verified", Message: "do p"})
	ok1(t, landed, err)
	l.git("commit", "-q", "--allow-empty", "-m", "the user's own")
	for ref := range strings.FieldsSeq(l.own("for-each-ref", "--format=%(refname)", "refs/autobuild", "refs/heads/autobuild/r1/integration")) {
		l.own("update-ref", "-d", ref)
	}

	line = l.begin(worktree.Auto)
	again, err := line.Landed(t.Context())
	want(t, "what landed", words(again["p"], len(again), err), words(landed.Commit, 1, "<nil>"))
	if len(line.Notes) == 0 || !strings.Contains(line.Notes[0], "its work was found on your branch") {
		t.Errorf("the notes are %q", line.Notes)
	}
}

// A run that lost its private refs and kept its branch is taken up where your branch has all of its
// work, and refused where it has not. The branch of one that turns out to be complete goes again.
func TestPrivateRefsAreGone(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	landed := l.landFile(line, "p", "p.txt", "p\n")
	wipe := func() {
		for ref := range strings.FieldsSeq(l.own("for-each-ref", "--format=%(refname)", "refs/autobuild")) {
			l.own("update-ref", "-d", ref)
		}
	}
	wipe()
	line = l.begin(worktree.Auto)
	again, err := line.Landed(t.Context())
	want(t, "what landed", words(again["p"] == landed.Commit, len(again), err), "true 1 <nil>")
	want(t, "leave", line.Leave(t.Context()), nil)
	want(t, "branches", l.own("branch", "--list", "autobuild/r1/integration"), "")

	l.own("branch", "autobuild/r1/integration", l.git("rev-parse", "main"))
	wipe()
	l.git("reset", "-q", "--hard", "HEAD~1")
	_, err = l.tryBegin(worktree.Auto)
	if _, is := errors.AsType[*git.UnusableError](err); !is || !strings.Contains(err.Error(), "git merge --ff-only autobuild/r1/integration") {
		t.Fatalf("got %v", err)
	}
	l.git("merge", "-q", "--ff-only", "autobuild/r1/integration")
	again, err = l.begin(worktree.Auto).Landed(t.Context())
	want(t, "what landed", words(len(again), err), "1 <nil>")
}
