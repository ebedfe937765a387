package worktree_test

import (
	"strings"
	"testing"

	"autobuild/orchestrator/worktree"
)

// What attempts have landed can be asked without taking the run up: nothing changes, and a run that git does not know, or whose refs lead
// nowhere, has no record rather than an empty one.
func TestRecorded(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	p := l.open(line, "p")
	put(t, p.Dir, "p.txt", "p\n")
	landed, err := line.Land(t.Context(), p, worktree.Landing{Key: "k1", Verdict: "verified", Message: "do p"})
	ok1(t, landed, err)
	before := l.git("for-each-ref")

	repo, err := l.find(l.top)
	ok1(t, repo, err)
	commits, known, err := repo.Recorded(t.Context(), "r1", false)
	if err != nil || !known || len(commits) != 1 {
		t.Fatalf("got %v, %t, %v", commits, known, err)
	}
	want(t, "the commit", words(commits[0].ID, commits[0].Phase, commits[0].Key, commits[0].Verdict), words(landed.Commit, "p", "k1", "verified"))
	want(t, "the refs", l.git("for-each-ref"), before)

	for _, run := range []string{"r2", "../r1", ""} {
		commits, known, err = repo.Recorded(t.Context(), run, false)
		want(t, "run "+run, words(len(commits), known, err), "0 false <nil>")
	}
	l.git("update-ref", "-d", "refs/autobuild/r1/base")
	commits, known, err = repo.Recorded(t.Context(), "r1", false)
	want(t, "without a base", words(len(commits), known, err), "0 false <nil>")
}

// A run whose refs are gone, as in a fresh clone beside a kept state directory, is taken up again: what it delivered counts.
func TestRefsAreGone(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	p := l.open(line, "p")
	put(t, p.Dir, "p.txt", "p\n")
	landed, err := line.Land(t.Context(), p, worktree.Landing{Key: "k1", Verdict: "verified", Message: "do p"})
	ok1(t, landed, err)
	l.git("commit", "-q", "--allow-empty", "-m", "the user's own")
	for ref := range strings.FieldsSeq(l.git("for-each-ref", "--format=%(refname)", "refs/autobuild", "refs/heads/autobuild/r1/integration")) {
		l.git("update-ref", "-d", ref)
	}

	line = l.begin(worktree.Auto)
	again, err := line.Landed(t.Context())
	want(t, "what landed", words(again["p"], len(again), err), words(landed.Commit, 1, "<nil>"))
	if len(line.Notes) == 0 || !strings.Contains(line.Notes[0], "its work was found on your branch") {
		t.Errorf("the notes are %q", line.Notes)
	}
}
