//go:build unix

package worktree_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"autobuild/orchestrator/git"
	"autobuild/orchestrator/shared"
	"autobuild/orchestrator/tamper"
	"autobuild/orchestrator/worktree"
)

// Pipes among the work are no part of it, whether they are new or were a file before, with
// isolation and without, and without git.
func TestPipesInTheWork(t *testing.T) {
	work := func(t *testing.T, l *lab, dir string, land func() error) {
		t.Helper()
		put(t, dir, "new.txt", "new\n")
		for _, name := range []string{"pipe", "lines.txt"} {
			_ = os.Remove(filepath.Join(dir, name))
			if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want(t, "landed", land(), nil)
		want(t, "files", l.git("ls-tree", "--name-only", "HEAD"), "README.md\nnew.txt\nplan.md")
	}
	l := newLab(t)
	line := l.begin(worktree.Auto)
	tree := l.open(line, "p")
	work(t, l, tree.Dir, func() error {
		landed, err := land(t.Context(), line, tree, worktree.Landing{Phase: "p"})
		want(t, "delivered", landed.Delivered, true)
		return err
	})

	l = newLab(t)
	s := ok1(t, first(shared.Begin(t.Context(), ok1(t, first(l.find(l.top)), nil), worktree.Options{
		RunID: "r1", StateDir: filepath.Join(l.top, ".autobuild"), Mode: worktree.Auto, PlanPath: filepath.Join(l.top, "plan.md"),
	})), nil)
	place := ok1(t, first(s.Open(t.Context(), "p", false)), nil)
	work(t, l, l.top, func() error {
		_, err := s.Land(t.Context(), place, worktree.Landing{Phase: "p"})
		return err
	})

	dir := t.TempDir()
	s = shared.Open(dir, worktree.Options{})
	place = ok1(t, first(s.Open(t.Context(), "p", false)), nil)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	want(t, "without git, empty", ok1(t, first(s.Changes(t.Context(), place)), nil).Empty(), true)
}

// A pipe in the place of one of git's own files would be waited for until each git call's deadline,
// or for ever: it is refused and named.
func TestPipesInGit(t *testing.T) {
	for _, name := range []string{"HEAD", "index", "config", "packed-refs"} {
		l := newLab(t)
		line := l.begin(worktree.Auto)
		tree := l.open(line, "p")
		put(t, tree.Dir, "new.txt", "new\n")
		file := filepath.Join(l.top, ".git", name)
		pipe(t, file)
		_, err := watch(line).Look(t.Context())
		if u, is := errors.AsType[*git.UnusableError](err); !is || u.Where != file {
			t.Errorf("%s: got %v", name, err)
		}
		// nor does the next run wait
		if _, err = l.find(l.top); !errors.As(err, new(*git.UnusableError)) {
			t.Errorf("%s: the next run got %v", name, err)
		}
	}
	// Nor is the user's own configuration waited for.
	l := newLab(t)
	l.environ = append(l.environ, "XDG_CONFIG_HOME="+l.top)
	l.write("git/x", "")
	line := l.begin(worktree.Auto)
	pipe(t, filepath.Join(l.top, "git", "config"))
	_, before := watch(line).Look(t.Context())
	_, start := l.find(l.top)
	for _, err := range []error{before, start} {
		if u, is := errors.AsType[*git.UnusableError](err); !is || u.Where != filepath.Join(l.top, "git", "config") {
			t.Errorf("the user's: got %v", err)
		}
	}
	// In a worktree's own there is nothing to refuse: the work is taken all the same.
	for _, name := range []string{"HEAD", "index", "MERGE_HEAD", "gitdir", "locked"} {
		l := newLab(t)
		line := l.begin(worktree.Auto)
		tree := l.open(line, "p")
		put(t, tree.Dir, "new.txt", "new\n")
		pipe(t, filepath.Join(l.top, ".git", "worktrees", "p", name))
		if landed, err := land(t.Context(), line, tree, worktree.Landing{Phase: "p"}); err != nil || !landed.Delivered {
			t.Errorf("%s: got %v %v", name, landed, err)
		}
		if _, err := l.tryBegin(worktree.Auto); err != nil && !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// A pipe replaces a file that every git reads, so its content is known: it is put back, and the
// agent's change is a breach. Where the user has moved HEAD meanwhile its content is unknown, so it
// is left.
func TestPipesArePutBack(t *testing.T) {
	for _, c := range []struct {
		name      string
		meanwhile []string
		back      bool
	}{
		{"config", nil, true},
		{"HEAD", nil, true},
		{"HEAD", []string{"commit", "-q", "--allow-empty", "-m", "mine"}, false},
		{"HEAD", []string{"checkout", "-q", "--detach"}, false},
		{"config", []string{"checkout", "-q", "-b", "other"}, true},
		{"index", nil, false},
	} {
		l := newLab(t)
		line := l.begin(worktree.Auto)
		tree := l.open(line, "p")
		before := ok1(t, first(watch(line).Look(t.Context())), nil)
		l.landFile(line, "sibling", "sibling.txt", "x")
		was := get(t, l.top, ".git/"+c.name)
		if c.meanwhile != nil {
			l.git(c.meanwhile...)
		}
		file := filepath.Join(l.top, ".git", c.name)
		pipe(t, file)
		found, then, err := watch(line).Breaches(t.Context(), before)
		if !c.back {
			if u, is := errors.AsType[*git.UnusableError](err); !is || u.Where != file {
				t.Errorf("%s after %v: got %v, %v", c.name, c.meanwhile, found, err)
			}
			continue
		}
		text := "git's " + c.name + " was replaced by what is no file; put back"
		if err != nil || !slices.ContainsFunc(found, func(f tamper.Trespass) bool { return f.Breach && f.Mended && f.Text == text }) {
			t.Fatalf("%s: found %+v, %v", c.name, found, err)
		}
		want(t, c.name, get(t, l.top, ".git/"+c.name), was)
		// It is reported for siblings too, and only once.
		want(t, "siblings", slices.ContainsFunc(before.Trespasses(then), func(f tamper.Trespass) bool { return f.Breach }), true)
		again, _, err := watch(line).Breaches(t.Context(), before)
		want(t, "again", words(slices.ContainsFunc(again, func(f tamper.Trespass) bool { return f.Breach }), err), "false <nil>")
		put(t, tree.Dir, "p.txt", "x")
		want(t, "lands", l.land(line, tree).Delivered || c.meanwhile != nil, true)
	}
}

func pipe(t *testing.T, path string) {
	t.Helper()
	_ = os.Remove(path)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}
