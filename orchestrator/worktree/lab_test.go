package worktree_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/internal/proc"
	"autobuild/orchestrator/git"
	"autobuild/orchestrator/git/gittest"
	"autobuild/orchestrator/worktree"
	"autobuild/orchestrator/worktree/delivery"
)

func TestMain(m *testing.M) { os.Exit(gittest.Main(m)) }

// lab is a repository of a user, cut off from the configuration of the machine.
type lab struct {
	t       testing.TB
	top     string
	home    string
	environ []string
	run     *proc.Runner
}

func newLab(t testing.TB) *lab {
	t.Helper()
	l := gittest.New(t, map[string]string{
		"lines.txt": numbered(40), "plan.md": "| 1 | ⬜ |\n| 2 | ⬜ |\n\n\n\nnotes\n",
	})
	return &lab{t: t, top: l.Top, home: l.Home, environ: l.Environ, run: l.Run}
}

func numbered(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// repository is where the lab's user works with git.
func (l *lab) repository() *gittest.Lab {
	return &gittest.Lab{T: l.t, Top: l.top, Environ: l.environ}
}

func (l *lab) git(args ...string) string { l.t.Helper(); return l.repository().Git(args...) }

// own is git in the repository of the run.
func (l *lab) own(args ...string) string { l.t.Helper(); return l.repository().Own(args...) }

func (l *lab) gitIn(dir string, args ...string) string {
	l.t.Helper()
	return l.repository().GitIn(dir, args...)
}

func (l *lab) tryGit(dir string, args ...string) (string, error) {
	return l.repository().TryGit(dir, args...)
}

func (l *lab) write(name, data string) { l.t.Helper(); put(l.t, l.top, name, data) }

func put(t testing.TB, dir, name, data string) { t.Helper(); gittest.Put(t, dir, name, data) }

func get(t testing.TB, dir, name string) string { t.Helper(); return gittest.Get(t, dir, name) }

func missing(dir, name string) bool { return gittest.Missing(dir, name) }

func (l *lab) find(dir string) (*git.Repository, error) {
	return worktree.Find(context.Background(), l.run, l.environ, dir)
}

func (l *lab) tryBegin(mode string) (*worktree.Line, error) {
	l.t.Helper()
	return l.beginAs("r1", mode)
}

func (l *lab) beginAs(run, mode string) (*worktree.Line, error) {
	l.t.Helper()
	r, err := l.find(l.top)
	if err != nil {
		return nil, err
	}
	return worktree.Begin(context.Background(), r, worktree.Options{
		RunID: run, StateDir: filepath.Join(r.Top, ".autobuild"), Mode: mode, PlanPath: filepath.Join(r.Top, "plan.md"), Mark: tick,
		Checkouts: filepath.Join(l.home, "checkouts"),
	})
}

// tick is the edit of the lab's plan for a phase.
func tick(phase string) func([]byte) ([]byte, error) {
	return func(b []byte) ([]byte, error) {
		return []byte(strings.Replace(string(b), "| "+phase+" | ⬜", "| "+phase+" | ✅", 1)), nil
	}
}

func (l *lab) begin(mode string) *worktree.Line {
	l.t.Helper()
	return ok(l.t)(l.tryBegin(mode))
}

// ok fails the test on an error and otherwise passes the value on.
func ok1[T any](t testing.TB, v T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	return v
}

func ok(t testing.TB) func(*worktree.Line, error) *worktree.Line {
	return func(l *worktree.Line, err error) *worktree.Line { t.Helper(); return ok1(t, l, err) }
}

func (l *lab) open(line *worktree.Line, phase string) worktree.Tree {
	l.t.Helper()
	tree, err := line.Open(context.Background(), phase, false)
	return ok1(l.t, tree, err)
}

// outcome is a landing and the delivery after it.
type outcome struct {
	worktree.Landed
	Delivered   bool
	Undelivered delivery.Obstacle // why not; none in mode single, where the end delivers
}

func (l *lab) land(line *worktree.Line, tree worktree.Tree) outcome {
	l.t.Helper()
	got, err := land(context.Background(), line, tree, worktree.Landing{Phase: tree.Phase, Message: "do " + tree.Phase})
	return ok1(l.t, got, err)
}

// land lands and delivers, as a phase does.
func land(ctx context.Context, line *worktree.Line, tree worktree.Tree, how worktree.Landing) (outcome, error) {
	got, err := line.Land(ctx, tree, how)
	if err != nil {
		return outcome{}, err
	}
	d, err := line.Deliver(git.Uninterrupted(ctx))
	if err != nil {
		d.Why = delivery.Obstacle{Code: delivery.Failed, Detail: err.Error()}
	}
	if d.Why.Code == delivery.Incomplete {
		d.Why = delivery.Obstacle{}
	}
	return outcome{Landed: got, Delivered: d.Delivered, Undelivered: d.Why}, nil
}

func (l *lab) status() string { l.t.Helper(); return l.git("status", "--porcelain") }

func want[T comparable](t testing.TB, what string, got, wanted T) {
	t.Helper()
	gittest.Want(t, what, got, wanted)
}

func words(v ...any) string { return gittest.Words(v...) }
