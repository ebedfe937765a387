package tamper_test

import (
	"slices"
	"strings"
	"testing"

	"autobuild/orchestrator/git/gittest"
	"autobuild/orchestrator/tamper"
)

// Every change that an agent can make outside its worktree is reported in words. An agent that
// stays inside causes no report.
func TestOutside(t *testing.T) {
	for _, c := range []struct {
		name, want string
		do         func(l *lab, dir string)
	}{
		{"nothing", "", func(l *lab, d string) {
			gittest.Put(l.T, d, "a", "a")
			l.GitIn(d, "add", "-A")
			l.GitIn(d, "commit", "-qm", "own")
		}},
		{"file", "README.md in the main checkout was changed", func(l *lab, _ string) { l.Write("README.md", "x") }},
		{"new file", "new in the main checkout was changed", func(l *lab, _ string) { l.Write("new", "x") }},
		{"dirty file again", "lines.txt in the main checkout was changed", func(l *lab, _ string) { l.Write("lines.txt", "the user's, and the agent's") }},
		{"staged", "README.md of the main checkout's index was changed", func(l *lab, _ string) { l.Write("README.md", "x"); l.Git("add", "README.md") }},
		{"branch moved", "heads/main was moved", func(l *lab, d string) {
			l.GitIn(d, "update-ref", "refs/heads/main", l.Git("commit-tree", "-m", "x", "HEAD^{tree}"))
		}},
		{"branch made", "heads/elsewhere was created", func(l *lab, d string) { l.GitIn(d, "branch", "elsewhere") }},
		{"branch deleted", "heads/old was deleted", func(l *lab, d string) { l.GitIn(d, "branch", "-D", "old") }},
		{"the line moved", "heads/autobuild/r1/integration was created", func(l *lab, d string) {
			l.GitIn(d, "update-ref", "refs/heads/autobuild/r1/integration", l.Git("commit-tree", "-m", "x", "HEAD^{tree}"))
		}},
		{"switched", "HEAD of the main checkout went from main to elsewhere|heads/elsewhere was created", func(l *lab, _ string) {
			l.Git("checkout", "-q", "-b", "elsewhere")
		}},
		{"stash", "the stash, which all worktrees share, was changed", func(l *lab, d string) { gittest.Put(l.T, d, "README.md", "x"); l.GitIn(d, "stash", "-q") }},
		{"config", "git's config was changed", func(l *lab, d string) { l.GitIn(d, "config", "core.fsmonitor", "evil") }},
		{"hook", "git's hooks/pre-commit was created", func(l *lab, _ string) { l.Write(".git/hooks/pre-commit", "evil") }},
		{"attributes", "git's info/attributes was created", func(l *lab, _ string) { l.Write(".git/info/attributes", "* filter=evil") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.Git("branch", "old")
			l.Write("lines.txt", "the user's")
			line := l.begin()
			outside := tamper.NewOutside(line)
			other, tree := l.open(line, "other"), l.open(line, "p")
			gittest.Put(t, other.Dir, "other.txt", "x")
			before := look(t, outside)
			l.landFile(line, "sibling", "sibling.txt", "x")
			c.do(l, tree.Dir)
			after := look(t, outside)
			got := before.Diff(after)
			for _, w := range strings.Split(c.want, "|") {
				if w != "" && !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, w) }) {
					t.Errorf("%q is not told: %q", w, got)
				}
			}
			gittest.Want(t, "sentences", len(got), len(slices.DeleteFunc(strings.Split(c.want, "|"), func(s string) bool { return s == "" })))
		})
	}
}
