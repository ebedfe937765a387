package worktree_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/orchestrator/worktree"
)

// hook writes a hook of the user's.
func (l *lab) hook(name, text string, mode os.FileMode) {
	l.t.Helper()
	l.write(name, "#!/bin/sh\n"+text+"\n")
	if err := os.Chmod(filepath.Join(l.top, name), mode); err != nil {
		l.t.Fatal(err)
	}
}

// A file that is no hook of commits, or cannot run, is not listed. Where the user configured
// another directory for hooks, that one counts.
func TestCommitHooks(t *testing.T) {
	l := newLab(t)
	l.hook("tools/hooks/pre-commit", "exit 1", 0o755)
	l.hook("tools/hooks/commit-msg", "exit 1", 0o644)
	l.hook("tools/hooks/pre-push", "exit 1", 0o755)
	l.hook(".git/hooks/commit-msg", "exit 1", 0o755)
	names := func() string {
		return words(ok1(t, first(ok1(t, first(l.find(l.top)), nil).CommitHooks(t.Context())), nil))
	}
	want(t, "usual place", names(), "[commit-msg]")
	l.git("config", "core.hooksPath", "tools/hooks")
	want(t, "another place", names(), "[pre-commit]")
}

// The hooks that are asked are those of the run's first start: neither an agent's edit of the
// repository's, nor one of the copy, nor what lies there when the run goes on is ever taken for
// them.
func TestHooksArePinned(t *testing.T) {
	l := newLab(t)
	l.hook(".husky/_/pre-commit", `. "$(dirname "$0")/h"`, 0o755)
	l.hook(".husky/_/h", "exit 0", 0o644)
	l.hook(".husky/pre-commit", "npm test", 0o644)
	l.git("config", "core.hooksPath", ".husky/_")
	line := l.begin(worktree.Auto)
	want(t, "nothing to tell", strings.Contains(words(line.Notes), "hooks"), false)
	tree := l.open(line, "1")
	put(t, tree.Dir, "new.txt", "new\n")
	l.hook(".husky/_/pre-commit", "touch PWNED", 0o755)
	l.hook(".husky/_/commit-msg", "touch PWNED", 0o755)
	copies := filepath.Join(l.top, ".autobuild", "git", "hooks")
	put(t, copies, "d/pre-commit", "touch PWNED")
	put(t, copies, "d/commit-msg", "touch PWNED")
	put(t, filepath.Join(l.top, ".autobuild", "git", "hooked", "1"), "d/commit-msg", "touch PWNED")

	check := func(line *worktree.Line) {
		t.Helper()
		r, err := line.Rehearse(t.Context(), tree, "feat: new")
		want(t, "rehearsed", err, nil)
		want(t, "names", words(r.Names), "[pre-commit]")
		want(t, "hook", get(t, r.Hooks, "pre-commit"), "#!/bin/sh\n. \"$(dirname \"$0\")/h\"\n")
		want(t, "beside it", get(t, r.Hooks, "h")+get(t, r.Hooks, "../pre-commit"), "#!/bin/sh\nexit 0\n#!/bin/sh\nnpm test\n")
		want(t, "no other", missing(r.Hooks, "commit-msg"), true)
		want(t, "message", get(t, filepath.Dir(r.Message), filepath.Base(r.Message)), "feat: new\n")
		want(t, "staged", l.gitIn(tree.Dir, "diff", "--cached", "--name-only"), "new.txt")
	}
	check(line)
	want(t, "as it was", os.RemoveAll(copies), nil)
	want(t, "as it was", os.CopyFS(copies, os.DirFS(filepath.Join(l.top, ".autobuild", "git", "hooked", "1"))), nil)
	line = l.begin(worktree.Auto)
	want(t, "told", strings.Contains(words(line.Notes), "git's hooks changed since the run began"), true)
	tree = l.open(line, "1")
	check(line)
}

// Staging a phase's work for the hooks does not change the landed content, commits of an agent's
// own included.
func TestRehearsedAndLanded(t *testing.T) {
	l := newLab(t)
	l.hook(".git/hooks/pre-commit", "exit 0", 0o755)
	line := l.begin(worktree.Auto)
	tree := l.open(line, "1")
	put(t, tree.Dir, "a.txt", "a\n")
	l.gitIn(tree.Dir, "add", "-A")
	l.gitIn(tree.Dir, "-c", "core.hooksPath=", "commit", "-qm", "its own")
	put(t, tree.Dir, "b.txt", "b\n")
	r, err := line.Rehearse(t.Context(), tree, "both")
	want(t, "rehearsed", err, nil)
	want(t, "staged", l.gitIn(tree.Dir, "diff", "--cached", "--name-only"), "a.txt\nb.txt")
	want(t, "identity", l.gitIn(tree.Dir, "write-tree"), r.Tree)
	_ = os.Remove(filepath.Join(tree.Dir, "b.txt"))
	l.land(line, tree)
	want(t, "landed", l.git("show", "--format=", "--name-only", "HEAD"), "a.txt")
	want(t, "status", l.status(), "")
}

// A directory of hooks that is no such thing is refused rather than copied.
func TestTooManyHooks(t *testing.T) {
	l := newLab(t)
	l.hook("all/pre-commit", "exit 0", 0o755)
	l.write("all/big", strings.Repeat("x", 5<<20))
	l.git("config", "core.hooksPath", "all")
	_, err := l.tryBegin(worktree.Auto)
	want(t, "refused", err != nil && strings.Contains(err.Error(), "{hooks: false}"), true)
}
