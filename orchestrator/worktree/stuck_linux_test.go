package worktree_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"autobuild/orchestrator/worktree"
)

// A worktree that cannot be removed, because what a container left in it is not ours to delete,
// takes nothing from a run that is complete.
func TestWorktreeThatStays(t *testing.T) {
	l := newLab(t)
	l.write(".gitignore", "volume\n")
	l.git("add", "-A")
	l.git("commit", "-q", "-m", "ignore")
	line := l.begin(worktree.Auto)
	tree := l.open(line, "p")
	put(t, tree.Dir, "new.txt", "new\n")
	volume := filepath.Join(tree.Dir, "volume")
	if err := os.Mkdir(volume, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("none", volume, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("file systems cannot be mounted here: %v", err)
	}
	mounted := true
	unmount := func() {
		if mounted {
			_ = unix.Unmount(volume, unix.MNT_DETACH)
		}
		mounted = false
	}
	t.Cleanup(unmount)
	want(t, "delivered", l.land(line, tree).Delivered, true)
	want(t, "told", line.Done(t.Context(), tree) != nil, true)
	d, err := line.Finish(t.Context(), "")
	want(t, "complete", words(d.Delivered, err), "true <nil>")
	unmount()
	d, err = l.begin(worktree.Auto).Finish(t.Context(), "")
	want(t, "next session", words(d.Delivered, err, missing(tree.Dir, "")), "true <nil> true")
	want(t, "branches", l.git("for-each-ref", "--format=%(refname)", "refs/heads"), "refs/heads/main")
}
