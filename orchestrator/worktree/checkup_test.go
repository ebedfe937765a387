package worktree_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/orchestrator/worktree"
)

// A check-up sees what a run would meet, and leaves everything as it was.
func TestCheckup(t *testing.T) {
	l := newLab(t)
	l.write("new.txt", "new")
	l.write(".git/index.lock", "")
	l.git("config", "filter.lfs.clean", "git-lfs clean")
	l.git("branch", "autobuild/r0/landed")
	l.git("branch", "autobuild/r0/integration", strings.TrimSpace(l.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "left")))
	l.git("config", "commit.gpgSign", "true")
	l.git("config", "gpg.program", "false")
	hook := filepath.Join(l.top, ".git", "hooks", "pre-commit")
	put(t, filepath.Dir(hook), "pre-commit", "#!/bin/sh\n")
	if err := os.Chmod(hook, 0o755); err != nil {
		t.Fatal(err)
	}
	r := ok1(t, first(l.find(l.top)), nil)
	c, err := worktree.Inspect(t.Context(), r)
	want(t, "error", err, nil)
	want(t, "seen", words(c.Branch, c.Headless == nil, c.Dirty, c.Signed, c.Unsigned != "", c.Hooks, c.LFS, c.Left, c.StaleLock != ""),
		"main true 1 true true [pre-commit] true [autobuild/r0/integration] true")
	want(t, "author", c.Author != "", true)

	l.git("config", "--unset", "user.name")
	c, err = worktree.Inspect(t.Context(), r)
	want(t, "nobody", words(c.Author == "", err), "true <nil>")
}
