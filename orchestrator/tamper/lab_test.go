package tamper_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
	r, err := worktree.Find(l.T.Context(), l.Run, l.Environ, l.Top)
	return checked(l.T, r, err)
}

func (l *lab) begin() *worktree.Line {
	l.T.Helper()
	line, err := worktree.Begin(l.T.Context(), l.find(), worktree.Options{
		RunID: "r1", StateDir: filepath.Join(l.Top, ".autobuild"), Mode: worktree.Auto,
	})
	return checked(l.T, line, err)
}

func (l *lab) open(line *worktree.Line, phase string) worktree.Tree {
	l.T.Helper()
	tree, err := line.Open(l.T.Context(), phase, false)
	return checked(l.T, tree, err)
}

func (l *lab) land(line *worktree.Line, tree worktree.Tree) worktree.Landed {
	l.T.Helper()
	landed, err := line.Land(l.T.Context(), tree, worktree.Landing{Phase: tree.Phase, Message: "do " + tree.Phase})
	return checked(l.T, landed, err)
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
	s, err := outside.Look(t.Context())
	return checked(t, s, err)
}

// checked fails the test on an error and otherwise passes the value on.
func checked[T any](t testing.TB, v T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func want[T comparable](t testing.TB, what string, got, wanted T) {
	t.Helper()
	if got != wanted {
		t.Errorf("%s:\n got %v\nwant %v", what, got, wanted)
	}
}

// words puts values side by side.
func words(v ...any) string { return strings.TrimSuffix(fmt.Sprintln(v...), "\n") }

func entries(t *testing.T, dir string) int {
	t.Helper()
	list, err := os.ReadDir(dir)
	return len(checked(t, list, err))
}
