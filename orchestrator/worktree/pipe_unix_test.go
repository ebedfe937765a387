//go:build unix

package worktree_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"autobuild/orchestrator/worktree"
)

// A pipe in the place of one of git's own files would be waited for until each git call's deadline, or for ever: it is refused and named.
func TestPipesInGit(t *testing.T) {
	pipe := func(t *testing.T, path string) {
		t.Helper()
		_ = os.Remove(path)
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"HEAD", "index", "config", "packed-refs"} {
		l := newLab(t)
		line := l.begin(worktree.Auto)
		tree := l.open(line, "p")
		put(t, tree.Dir, "new.txt", "new\n")
		file := filepath.Join(l.top, ".git", name)
		pipe(t, file)
		_, err := line.Outside(t.Context())
		if u, is := errors.AsType[*worktree.UnusableError](err); !is || u.Where != file {
			t.Errorf("%s: got %v", name, err)
		}
	}
	// In a worktree's own there is nothing to refuse: the work is taken all the same.
	for _, name := range []string{"HEAD", "index", "MERGE_HEAD", "gitdir", "locked"} {
		l := newLab(t)
		line := l.begin(worktree.Auto)
		tree := l.open(line, "p")
		put(t, tree.Dir, "new.txt", "new\n")
		pipe(t, filepath.Join(l.top, ".git", "worktrees", "p", name))
		if landed, err := line.Land(t.Context(), tree, worktree.Landing{Phase: "p"}); err != nil || !landed.Delivered {
			t.Errorf("%s: got %v %v", name, landed, err)
		}
		if _, err := l.tryBegin(worktree.Auto); err != nil && !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
