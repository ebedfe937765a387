package worktree_test

import (
	"strings"
	"testing"

	"autobuild/orchestrator/worktree"
)

// An agent's changes to the run's line before it killed the run are discarded: the line continues
// from the last landed commit.
func TestTheLineIsWitnessed(t *testing.T) {
	for name, do := range map[string]func(l *lab, ref string){
		"moved": func(l *lab, ref string) {
			l.git("update-ref", ref, l.git("commit-tree", "-m", "x", "-p", "HEAD", "HEAD^{tree}"))
		},
		"moved back":    func(l *lab, ref string) { l.git("update-ref", ref, ref+"~2") },
		"deleted":       func(l *lab, ref string) { l.git("update-ref", "-d", ref) },
		"left as it is": func(*lab, string) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			line := l.begin(worktree.Auto)
			l.landFile(line, "a", "a.txt", "a")
			l.landFile(line, "b", "b.txt", "b")
			ref := "refs/heads/autobuild/r1/integration"
			tip := l.git("rev-parse", ref)
			do(l, ref)
			changed := l.git("for-each-ref", "--format=%(objectname)", ref) != tip
			line = l.begin(worktree.Auto)
			want(t, "tip", l.git("rev-parse", ref), tip)
			want(t, "told", strings.Contains(strings.Join(line.Notes, "\n"), "by something else and was put back"), changed)
			commits, err := line.Commits(t.Context())
			want(t, "commits", words(len(commits), err), "2 <nil>")
			l.landFile(line, "c", "c.txt", "c")
			want(t, "arrived", l.git("show", "HEAD:c.txt"), "c")
		})
	}
}

// A file of the state directory that autobuild wrote is accepted only with that content.
func TestVouched(t *testing.T) {
	l := newLab(t)
	r := ok1(t, first(l.find(l.top)), nil)
	want(t, "never written", worktree.Vouched(r, "x.json", []byte("anything")), true)
	for _, data := range []string{"one", "two"} {
		if err := worktree.Vouch(r, "x.json", []byte(data)); err != nil {
			t.Fatal(err)
		}
		want(t, data, worktree.Vouched(r, "x.json", []byte(data)), true)
		want(t, "changed", worktree.Vouched(r, "x.json", []byte(data+" ")), false)
	}
	want(t, "another file", worktree.Vouched(r, "y.json", []byte("one")), true)
	want(t, "no name", worktree.Vouch(r, "../x", nil) != nil, true)
}
