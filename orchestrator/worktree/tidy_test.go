package worktree_test

import (
	"strings"
	"testing"

	"autobuild/orchestrator/worktree"
)

// Untidy finds each unfinished operation in a worktree by its name, and nothing else.
func TestUntidy(t *testing.T) {
	marks := func(text string) string { return "<<<<<<< ours\n" + text + "=======\nb\n>>>>>>> theirs\n" }
	for _, c := range []struct {
		name string
		do   func(t *testing.T, l *lab, tree worktree.Tree)
		want string
	}{
		{"untouched", func(*testing.T, *lab, worktree.Tree) {}, ""},
		{"work", func(t *testing.T, _ *lab, tree worktree.Tree) { put(t, tree.Dir, "README.md", "better\n") }, ""},
		{"marks", func(t *testing.T, _ *lab, tree worktree.Tree) {
			put(t, tree.Dir, "README.md", marks("a\n"))
			put(t, tree.Dir, "sub/new.txt", marks("a\n"))
		}, `conflict marks in README.md, sub/new.txt`},
		{"one mark alone", func(t *testing.T, _ *lab, tree worktree.Tree) { put(t, tree.Dir, "README.md", "<<<<<<< quoted\n") }, ""},
		{"marks that the base had", func(t *testing.T, _ *lab, tree worktree.Tree) { put(t, tree.Dir, "about-marks.md", marks("changed\n")) }, ""},
		{"a merge", func(t *testing.T, l *lab, tree worktree.Tree) {
			put(t, tree.Dir, "README.md", "mine\n")
			l.gitIn(tree.Dir, "commit", "-q", "-a", "-m", "mine")
			_, _ = l.tryGit(tree.Dir, "merge", "other")
		}, "a merge is in progress; unmerged: README.md; conflict marks in README.md"},
		{"a merge, resolved and not committed", func(t *testing.T, l *lab, tree worktree.Tree) {
			_, _ = l.tryGit(tree.Dir, "merge", "--no-commit", "--no-ff", "other")
		}, "a merge is in progress"},
		{"a rebase", func(t *testing.T, l *lab, tree worktree.Tree) {
			put(t, tree.Dir, "README.md", "mine\n")
			l.gitIn(tree.Dir, "commit", "-q", "-a", "-m", "mine")
			_, _ = l.tryGit(tree.Dir, "rebase", "other")
			l.gitIn(tree.Dir, "checkout", "-q", "--theirs", "README.md")
			l.gitIn(tree.Dir, "add", "README.md")
		}, "a rebase is in progress"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.write("about-marks.md", marks("a\n"))
			l.git("add", "-A")
			l.git("commit", "-q", "-m", "a text about marks")
			l.git("checkout", "-q", "-b", "other")
			l.write("README.md", "theirs\n")
			l.git("commit", "-q", "-a", "-m", "theirs")
			l.git("checkout", "-q", "main")
			line := l.begin(worktree.Auto)
			tree := l.open(line, "p")
			c.do(t, l, tree)
			before := l.gitIn(tree.Dir, "status", "--porcelain")
			found := ok1(t, first(line.Untidy(t.Context(), tree)), nil)
			want(t, "found", strings.Join(found, "; "), c.want)
			want(t, "left as it was", l.gitIn(tree.Dir, "status", "--porcelain"), before)
		})
	}
}

// A file that was moved is found under its newest name, also over several commits.
func TestRenamed(t *testing.T) {
	l := newLab(t)
	l.write("CLAUDE.md", numbered(40))
	l.git("add", "-A")
	l.git("commit", "-q", "-m", "notes")
	l.git("mv", "CLAUDE.md", "AGENTS.md")
	l.git("commit", "-q", "-m", "another name")
	l.write("docs/keep.md", "x\n")
	l.git("add", "-A")
	l.git("mv", "AGENTS.md", "docs/AGENTS.md")
	l.git("commit", "-q", "-m", "another place")
	line := l.begin(worktree.Auto)
	for path, to := range map[string]string{
		"CLAUDE.md": "docs/AGENTS.md", "AGENTS.md": "docs/AGENTS.md", "docs/AGENTS.md": "", "never.md": "", "*.md": "", "README.md": "",
	} {
		want(t, path, ok1(t, first(line.Renamed(t.Context(), path)), nil), to)
	}
}
