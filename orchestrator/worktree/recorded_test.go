package worktree_test

import (
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
