package tamper_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"autobuild/orchestrator/git/gittest"
	"autobuild/orchestrator/tamper"
)

// Breaches distinguishes the authors of changes outside as far as it can: a change of autobuild's
// or git's own data is a breach and is put back; a change that may be the user's is reported and
// left.
func TestBreaches(t *testing.T) {
	const breach, users = true, false
	other := func(l *lab) string { l.T.Helper(); return l.Git("commit-tree", "-m", "x", "HEAD^{tree}") }
	for _, c := range []struct {
		name   string
		breach bool
		back   string // in the sentence, where it was put back
		do     func(l *lab, dir string)
	}{
		{"a planted monitor", breach, "put back, and kept in .autobuild/breaches/", func(l *lab, d string) { l.GitIn(d, "config", "core.fsmonitor", "evil") }},
		{"a planted alias", breach, "put back", func(l *lab, d string) { l.GitIn(d, "config", "alias.status", "!evil") }},
		{"a section within a value", breach, "put back", func(l *lab, _ string) {
			l.Write(".git/config", gittest.Get(l.T, l.Top, ".git/config")+"[core]\n\tx = a\\\n[user]\n\thooksPath = evil\n")
		}},
		{"a name", users, "put back", func(l *lab, d string) { l.GitIn(d, "config", "user.name", "Agent") }},
		{"what a branch follows", users, "", func(l *lab, d string) { l.GitIn(d, "config", "branch.x.remote", "origin") }},
		{"a hook", breach, "put back", func(l *lab, _ string) { l.Write(".git/hooks/pre-commit", "evil") }},
		{"attributes", breach, "put back", func(l *lab, _ string) { l.Write(".git/info/attributes", "* filter=evil") }},
		{"the user's branch, from a worktree", breach, "kept in refs/autobuild/breach/r1/", func(l *lab, d string) { l.GitIn(d, "update-ref", "refs/heads/main", other(l)) }},
		{"the user's branch, back to an older commit", breach, "put back", func(l *lab, d string) { l.GitIn(d, "update-ref", "refs/heads/main", "HEAD~1") }},
		{"a branch deleted", breach, "put back", func(l *lab, d string) { l.GitIn(d, "branch", "-q", "-D", "old") }},
		{"a tag moved", breach, "put back", func(l *lab, d string) { l.GitIn(d, "tag", "-f", "v1", other(l)) }},
		{"the run's line", breach, "put back", func(l *lab, d string) { l.GitIn(d, "update-ref", "refs/heads/autobuild/r1/integration", other(l)) }},
		{"a hidden ref", breach, "put back", func(l *lab, d string) { l.GitIn(d, "update-ref", "refs/autobuild/r1/delivered", other(l)) }},
		{"a stash of the agent's", breach, "", func(l *lab, d string) { gittest.Put(l.T, d, "README.md", "x"); l.GitIn(d, "stash", "-q") }},
		{"a stash of the user's", users, "", func(l *lab, _ string) { l.Write("README.md", "x"); l.Git("stash", "-q") }},
		{"a new branch", users, "", func(l *lab, d string) { l.GitIn(d, "branch", "elsewhere") }},
		{"a commit in the checkout", users, "", func(l *lab, _ string) { l.Git("commit", "-q", "--allow-empty", "-m", "mine") }},
		{"an amended commit in the checkout", users, "", func(l *lab, _ string) { l.Git("commit", "-q", "--amend", "--allow-empty", "-m", "mine") }},
		{"a file in the checkout", users, "", func(l *lab, _ string) { l.Write("README.md", "mine") }},
		{"a file staged", users, "", func(l *lab, _ string) { l.Write("README.md", "mine"); l.Git("add", "README.md") }},
		{"another branch in the checkout", users, "", func(l *lab, _ string) { l.Git("checkout", "-q", "old") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.Git("commit", "-q", "--allow-empty", "-m", "second")
			l.Git("branch", "old")
			l.Git("tag", "v1")
			line := l.begin()
			outside := tamper.NewOutside(line)
			tree, beside := l.open(line, "p"), l.open(line, "q")
			before := look(t, outside)
			l.landFile(line, "sibling", "sibling.txt", "x")
			refs, config := l.Git("for-each-ref", "refs/heads", "refs/tags", "refs/autobuild/r1"), gittest.Get(t, l.Top, ".git/config")
			c.do(l, tree.Dir)
			found, _, err := outside.Breaches(t.Context(), before)
			if err != nil || len(found) == 0 {
				t.Fatalf("found %+v, %v", found, err)
			}
			is := slices.ContainsFunc(found, func(f tamper.Trespass) bool { return f.Breach })
			gittest.Want(t, "breach", is, c.breach)
			if c.back == "" {
				return
			}
			gittest.Want(t, "put back is said", strings.Contains(found[len(found)-1].Text, c.back) || strings.Contains(found[0].Text, c.back), true)
			gittest.Want(t, "refs", l.Git("for-each-ref", "refs/heads", "refs/tags", "refs/autobuild/r1"), refs)
			gittest.Want(t, "config", gittest.Get(t, l.Top, ".git/config"), config)
			gittest.Want(t, "hook", gittest.Missing(filepath.Join(l.Top, ".git", "hooks"), "pre-commit"), true)
			again, _, err := outside.Breaches(t.Context(), before)
			gittest.Want(t, "told once", gittest.Words(len(again), err), "0 <nil>")
			gittest.Put(t, beside.Dir, "q.txt", "x")
			gittest.Want(t, "lands all the same", l.land(line, beside).Delivered, true)
		})
	}
}

// Where git keeps no log of a checkout's moves, an agent's cannot be distinguished from the user's:
// the move is reported, and nothing is put back.
func TestNoLogs(t *testing.T) {
	l := newLab(t)
	l.Git("config", "core.logAllRefUpdates", "false")
	line := l.begin()
	outside := tamper.NewOutside(line)
	_ = l.open(line, "p")
	if err := os.RemoveAll(filepath.Join(l.Top, ".git", "logs")); err != nil {
		t.Fatal(err)
	}
	before := look(t, outside)
	l.Git("commit", "-q", "--allow-empty", "-m", "mine")
	head := l.Git("rev-parse", "HEAD")
	found, _, err := outside.Breaches(t.Context(), before)
	if err != nil || len(found) != 1 || found[0].Breach {
		t.Errorf("found %+v, %v", found, err)
	}
	gittest.Want(t, "HEAD", l.Git("rev-parse", "HEAD"), head)
}
