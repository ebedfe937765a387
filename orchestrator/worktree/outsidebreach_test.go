package worktree_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"autobuild/orchestrator/tamper"
	"autobuild/orchestrator/worktree"
)

// Who changed what outside is told apart as far as it can be: what is autobuild's or git's is a
// breach and is put back, what the user may have done is told and left as it is.
func TestBreaches(t *testing.T) {
	const breach, users = true, false
	other := func(l *lab) string { l.t.Helper(); return l.git("commit-tree", "-m", "x", "HEAD^{tree}") }
	for _, c := range []struct {
		name   string
		breach bool
		back   string // in the sentence, where it was put back
		do     func(l *lab, dir string)
	}{
		{"a planted monitor", breach, "put back, and kept in .autobuild/breaches/", func(l *lab, d string) { l.gitIn(d, "config", "core.fsmonitor", "evil") }},
		{"a planted alias", breach, "put back", func(l *lab, d string) { l.gitIn(d, "config", "alias.status", "!evil") }},
		{"a section within a value", breach, "put back", func(l *lab, _ string) {
			l.write(".git/config", get(l.t, l.top, ".git/config")+"[core]\n\tx = a\\\n[user]\n\thooksPath = evil\n")
		}},
		{"a name", users, "put back", func(l *lab, d string) { l.gitIn(d, "config", "user.name", "Agent") }},
		{"what a branch follows", users, "", func(l *lab, d string) { l.gitIn(d, "config", "branch.x.remote", "origin") }},
		{"a hook", breach, "put back", func(l *lab, _ string) { l.write(".git/hooks/pre-commit", "evil") }},
		{"attributes", breach, "put back", func(l *lab, _ string) { l.write(".git/info/attributes", "* filter=evil") }},
		{"the user's branch, from a worktree", breach, "kept in refs/autobuild/breach/r1/", func(l *lab, d string) { l.gitIn(d, "update-ref", "refs/heads/main", other(l)) }},
		{"the user's branch, back to an older commit", breach, "put back", func(l *lab, d string) { l.gitIn(d, "update-ref", "refs/heads/main", "HEAD~1") }},
		{"a branch deleted", breach, "put back", func(l *lab, d string) { l.gitIn(d, "branch", "-q", "-D", "old") }},
		{"a tag moved", breach, "put back", func(l *lab, d string) { l.gitIn(d, "tag", "-f", "v1", other(l)) }},
		{"the run's line", breach, "put back", func(l *lab, d string) { l.gitIn(d, "update-ref", "refs/heads/autobuild/r1/integration", other(l)) }},
		{"a hidden ref", breach, "put back", func(l *lab, d string) { l.gitIn(d, "update-ref", "refs/autobuild/r1/delivered", other(l)) }},
		{"a stash of the agent's", breach, "", func(l *lab, d string) { put(l.t, d, "README.md", "x"); l.gitIn(d, "stash", "-q") }},
		{"a stash of the user's", users, "", func(l *lab, _ string) { l.write("README.md", "x"); l.git("stash", "-q") }},
		{"a new branch", users, "", func(l *lab, d string) { l.gitIn(d, "branch", "elsewhere") }},
		{"a commit in the checkout", users, "", func(l *lab, _ string) { l.git("commit", "-q", "--allow-empty", "-m", "mine") }},
		{"an amended commit in the checkout", users, "", func(l *lab, _ string) { l.git("commit", "-q", "--amend", "--allow-empty", "-m", "mine") }},
		{"a file in the checkout", users, "", func(l *lab, _ string) { l.write("README.md", "mine") }},
		{"a file staged", users, "", func(l *lab, _ string) { l.write("README.md", "mine"); l.git("add", "README.md") }},
		{"another branch in the checkout", users, "", func(l *lab, _ string) { l.git("checkout", "-q", "old") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.git("commit", "-q", "--allow-empty", "-m", "second")
			l.git("branch", "old")
			l.git("tag", "v1")
			line := l.begin(worktree.Auto)
			tree, beside := l.open(line, "p"), l.open(line, "q")
			before := ok1(t, first(watch(line).Look(t.Context())), nil)
			l.landFile(line, "sibling", "sibling.txt", "x")
			refs, config := l.git("for-each-ref", "refs/heads", "refs/tags", "refs/autobuild/r1"), get(t, l.top, ".git/config")
			c.do(l, tree.Dir)
			found, _, err := watch(line).Breaches(t.Context(), before)
			if err != nil || len(found) == 0 {
				t.Fatalf("found %+v, %v", found, err)
			}
			is := slices.ContainsFunc(found, func(f tamper.Trespass) bool { return f.Breach })
			want(t, "breach", is, c.breach)
			if c.back == "" {
				return
			}
			want(t, "put back is said", strings.Contains(found[len(found)-1].Text, c.back) || strings.Contains(found[0].Text, c.back), true)
			want(t, "refs", l.git("for-each-ref", "refs/heads", "refs/tags", "refs/autobuild/r1"), refs)
			want(t, "config", get(t, l.top, ".git/config"), config)
			want(t, "hook", missing(filepath.Join(l.top, ".git", "hooks"), "pre-commit"), true)
			again, _, err := watch(line).Breaches(t.Context(), before)
			want(t, "told once", words(len(again), err), "0 <nil>")
			put(t, beside.Dir, "q.txt", "x")
			want(t, "lands all the same", l.land(line, beside).Delivered, true)
		})
	}
}

// Where git keeps no log of a checkout's moves, nothing tells an agent's from the user's: it is
// told, and nothing is put back.
func TestNoLogs(t *testing.T) {
	l := newLab(t)
	l.git("config", "core.logAllRefUpdates", "false")
	line := l.begin(worktree.Auto)
	_ = l.open(line, "p")
	if err := os.RemoveAll(filepath.Join(l.top, ".git", "logs")); err != nil {
		t.Fatal(err)
	}
	before := ok1(t, first(watch(line).Look(t.Context())), nil)
	l.git("commit", "-q", "--allow-empty", "-m", "mine")
	head := l.git("rev-parse", "HEAD")
	found, _, err := watch(line).Breaches(t.Context(), before)
	if err != nil || len(found) != 1 || found[0].Breach {
		t.Errorf("found %+v, %v", found, err)
	}
	want(t, "HEAD", l.git("rev-parse", "HEAD"), head)
}
