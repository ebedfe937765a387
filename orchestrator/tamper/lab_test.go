package tamper_test

import (
	"os"
	"path/filepath"
	"testing"

	"autobuild/orchestrator/git"
	"autobuild/orchestrator/git/gittest"
	"autobuild/orchestrator/tamper"
	"autobuild/orchestrator/worktree"
)

func TestMain(m *testing.M) { os.Exit(gittest.Main(m)) }

// lab is a repository of a user in which a run works.
type lab struct{ *gittest.Lab }

func newLab(t *testing.T) *lab {
	t.Helper()
	return &lab{gittest.New(t, map[string]string{"lines.txt": "one\ntwo\n"})}
}

func (l *lab) find() *git.Repository {
	l.T.Helper()
	return gittest.OK(worktree.Find(l.T.Context(), l.Run, l.Environ, l.Top))(l.T)
}

func (l *lab) begin() *worktree.Line {
	l.T.Helper()
	return gittest.OK(worktree.Begin(l.T.Context(), l.find(), worktree.Options{
		RunID: "r1", StateDir: filepath.Join(l.Top, ".autobuild"), Mode: worktree.Auto,
	}))(l.T)
}

func (l *lab) open(line *worktree.Line, phase string) worktree.Tree {
	l.T.Helper()
	return gittest.OK(line.Open(l.T.Context(), phase, false))(l.T)
}

func (l *lab) land(line *worktree.Line, tree worktree.Tree) worktree.Delivery {
	l.T.Helper()
	gittest.OK(line.Land(l.T.Context(), tree, worktree.Landing{Phase: tree.Phase, Message: "do " + tree.Phase}))(l.T)
	return gittest.OK(line.Deliver(l.T.Context()))(l.T)
}

func (l *lab) landFile(line *worktree.Line, phase, name, data string) {
	l.T.Helper()
	tree := l.open(line, phase)
	gittest.Put(l.T, tree.Dir, name, data)
	l.land(line, tree)
	if err := line.Done(l.T.Context(), tree); err != nil {
		l.T.Fatal(err)
	}
}

func look(t *testing.T, outside *tamper.Outside) tamper.Snapshot {
	t.Helper()
	return gittest.OK(outside.Look(t.Context()))(t)
}

func entries(t *testing.T, dir string) int {
	t.Helper()
	return len(gittest.OK(os.ReadDir(dir))(t))
}
