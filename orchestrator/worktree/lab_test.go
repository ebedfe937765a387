package worktree_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"autobuild/internal/proc"
	"autobuild/orchestrator/git"
	"autobuild/orchestrator/tamper"
	"autobuild/orchestrator/worktree"
)

func TestMain(m *testing.M) {
	proc.Supervise()
	// Every landing flushes the file system it is on; in memory that is quick, and nobody else's
	// writes are waited for.
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() && os.Getenv("TMPDIR") == "" {
		if dir, err := os.MkdirTemp("/dev/shm", "worktree-test-"); err == nil {
			_ = os.Setenv("TMPDIR", dir)
			code := m.Run()
			_ = os.RemoveAll(dir)
			os.Exit(code)
		}
	}
	os.Exit(m.Run())
}

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
	home := t.TempDir()
	l := &lab{t: t, top: filepath.Join(t.TempDir(), "repo"), home: home, run: &proc.Runner{}}
	l.environ = []string{
		"HOME=" + home, "XDG_CONFIG_HOME=" + home, "GIT_CONFIG_GLOBAL=" + filepath.Join(home, ".gitconfig"), "GIT_CONFIG_NOSYSTEM=1",
		"PATH=" + os.Getenv("PATH"), "LC_ALL=C",
	}
	if err := os.CopyFS(l.top, os.DirFS(template(t))); err != nil {
		t.Fatal(err)
	}
	return l
}

// template makes the repository that every lab is a copy of, once.
var template = func() func(testing.TB) string {
	var once sync.Once
	var dir string
	return func(t testing.TB) string {
		once.Do(func() {
			d, err := os.MkdirTemp("", "lab-") //nolint:usetesting // it outlives the test that happens to make it
			if err != nil {
				t.Fatal(err)
			}
			dir = d
			l := &lab{t: t, top: d, environ: []string{"HOME=" + d, "GIT_CONFIG_NOSYSTEM=1", "PATH=" + os.Getenv("PATH")}}
			l.git("init", "-q", "-b", "main", "--template=")
			l.git("config", "user.name", "Uma User")
			l.git("config", "user.email", "uma@example.org")
			l.write("README.md", "hello\n")
			l.write("lines.txt", numbered(40))
			l.write("plan.md", "| 1 | ⬜ |\n| 2 | ⬜ |\n\n\n\nnotes\n")
			l.git("add", "-A")
			l.git("commit", "-q", "-m", "first")
		})
		return dir
	}
}()

func numbered(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func (l *lab) git(args ...string) string { l.t.Helper(); return l.gitIn(l.top, args...) }

func (l *lab) gitIn(dir string, args ...string) string {
	l.t.Helper()
	out, err := l.tryGit(dir, args...)
	if err != nil {
		l.t.Fatalf("git %q in %s: %v\n%s", args, dir, err, out)
	}
	return out
}

func (l *lab) tryGit(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, l.environ
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return errs.String() + string(out), err
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

func (l *lab) write(name, data string) { l.t.Helper(); put(l.t, l.top, name, data) }

func put(t testing.TB, dir, name, data string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

func get(t testing.TB, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func missing(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return os.IsNotExist(err)
}

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

func (l *lab) land(line *worktree.Line, tree worktree.Tree) worktree.Landed {
	l.t.Helper()
	landed, err := line.Land(context.Background(), tree, worktree.Landing{Phase: tree.Phase, Message: "do " + tree.Phase})
	return ok1(l.t, landed, err)
}

func (l *lab) status() string { l.t.Helper(); return l.git("status", "--porcelain") }

func want[T comparable](t testing.TB, what string, got, wanted T) {
	t.Helper()
	if got != wanted {
		t.Errorf("%s:\n got %v\nwant %v", what, got, wanted)
	}
}

// words puts values side by side.
func words(v ...any) string { return strings.TrimSuffix(fmt.Sprintln(v...), "\n") }

// watch is the one watcher of what lies outside the worktrees of a line.
func watch(line *worktree.Line) *tamper.Outside {
	stored, _ := watchers.LoadOrStore(line, tamper.NewOutside(line))
	watcher, _ := stored.(*tamper.Outside)
	return watcher
}

var watchers sync.Map // of *worktree.Line
