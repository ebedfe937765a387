package worktree_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"autobuild/orchestrator/worktree"
)

// A phase's work becomes one commit with its trailers on the user's branch, in their checkout, and
// its worktree goes.
func TestOnePhase(t *testing.T) {
	l := newLab(t)
	before := l.git("rev-parse", "HEAD")
	line := l.begin(worktree.Auto)
	tree := l.open(line, "1")
	put(t, tree.Dir, "src/a.go", "package a\n")
	put(t, tree.Dir, "README.md", "hello, world\n")
	if err := os.Remove(filepath.Join(tree.Dir, "lines.txt")); err != nil {
		t.Fatal(err)
	}
	ch := ok1(t, first(line.Changes(t.Context(), tree)), nil)
	want(t, "changes", fmt.Sprint(ch.Created, ch.Modified, ch.Deleted, ch.Renamed, ch.PlanTouched), "[src/a.go] [README.md] [lines.txt] [] false")
	landed, err := land(t.Context(), line, tree, worktree.Landing{
		Phase: "1", Message: "feat: a\n\nAutobuild-Phase: 99\nCo-authored-by: A <a@b>",
		Mark: func(b []byte) ([]byte, error) {
			return []byte(strings.Replace(string(b), "| 1 | ⬜", "| 1 | ✅", 1)), nil
		},
	})
	if err != nil || !landed.Delivered || landed.Reverified || landed.Already {
		t.Fatalf("landed %+v, %v", landed, err)
	}
	want(t, "head", l.git("rev-parse", "HEAD"), landed.Commit)
	want(t, "parent", l.git("rev-parse", "HEAD^"), before)
	want(t, "branch", l.git("symbolic-ref", "HEAD"), "refs/heads/main")
	want(t, "message", l.git("log", "-1", "--format=%B"), "feat: a\n\nCo-authored-by: A <a@b>\nAutobuild-Phase: 1\nAutobuild-Run: r1\n")
	want(t, "author", l.git("log", "-1", "--format=%an <%ae>"), "Uma User <uma@example.org>")
	want(t, "status", l.status(), "")
	want(t, "plan", strings.Contains(get(t, l.top, "plan.md"), "| 1 | ✅ |"), true)
	again := l.land(line, tree)
	want(t, "again", fmt.Sprint(again.Already, again.Commit == landed.Commit, again.Delivered), "true true true")
	if err = line.Done(t.Context(), tree); err != nil {
		t.Fatal(err)
	}
	want(t, "worktrees", strings.Count(l.git("worktree", "list", "--porcelain"), "worktree "), 1)
	want(t, "branches", l.git("for-each-ref", "--format=%(refname)", "refs/heads"), "refs/heads/main")
	d, err := line.Finish(t.Context(), "")
	want(t, "finish", fmt.Sprint(d.Delivered, d.Commit == landed.Commit, err), "true true <nil>")
	want(t, "branches", l.git("for-each-ref", "--format=%(refname)", "refs/heads"), "refs/heads/main")
	resumed := l.begin(worktree.Auto)
	all, err := resumed.Landed(t.Context())
	want(t, "landed", fmt.Sprint(all, err), fmt.Sprintf("map[1:%s] <nil>", landed.Commit))
	l.git("fsck", "--strict")
}

func first[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Sixteen phases land at the same moment; every one is a commit on one straight line.
func TestSixteenAtOnce(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	var wg sync.WaitGroup
	errs := make(chan error, 16)
	for i := range 16 {
		wg.Go(func() {
			phase := fmt.Sprintf("p%d", i)
			tree, err := line.Open(t.Context(), phase, false)
			if err == nil {
				put(t, tree.Dir, phase+".txt", phase)
				_, err = land(t.Context(), line, tree, worktree.Landing{Phase: phase})
			}
			if err == nil {
				err = line.Done(t.Context(), tree)
			}
			errs <- err
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	want(t, "commits", l.git("rev-list", "--count", "--first-parent", "--no-merges", "HEAD"), "17")
	want(t, "files", len(strings.Fields(l.git("ls-files", "p*.txt"))), 16)
	want(t, "status", l.status(), "")
}

// Verify is asked only about a tree that was not judged, and its refusal lands nothing and leaves
// the phase's own content.
func TestVerifyMerged(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	a, b := l.open(line, "a"), l.open(line, "b")
	put(t, a.Dir, "lines.txt", strings.Replace(numbered(40), "line 3\n", "three\n", 1))
	put(t, b.Dir, "lines.txt", strings.Replace(numbered(40), "line 30\n", "thirty\n", 1))
	put(t, b.Dir, "b.txt", "b")
	judged := func(tree worktree.Tree) worktree.Candidate {
		return ok1(t, first(line.Candidate(t.Context(), tree, worktree.Landing{})), nil)
	}
	never := func(context.Context, worktree.Candidate) error {
		t.Error("asked about what was judged before")
		return nil
	}
	ofA := judged(a)
	line.Drop("a") // else b is judged on top of it
	ofB := judged(b)
	want(t, "alone", words(ofA.Moved, ofA.Alone == ofA.Tree, ofA.Work == ofA.Tree), "false true true")
	first := ok1(t, first(land(t.Context(), line, a, worktree.Landing{Phase: "a", Verify: never, Judged: ofA.Tree})), nil)
	tip := l.own("rev-parse", "autobuild/r1/integration")
	refused := errors.New("red")
	asked := worktree.Candidate{}
	_, err := land(t.Context(), line, b, worktree.Landing{
		Phase: "b", Judged: ofB.Tree, Verify: func(_ context.Context, c worktree.Candidate) error { asked = c; return refused },
	})
	if !errors.Is(err, refused) {
		t.Fatalf("got %v", err)
	}
	got := l.git("show", asked.Tree+":lines.txt")
	want(t, "merged", strings.Contains(got, "three\n") && strings.Contains(got, "thirty\n"), true)
	want(t, "moved", words(asked.Moved, asked.Tip == tip, asked.Alone == ofB.Tree), "true true true")
	want(t, "tip", l.own("rev-parse", "autobuild/r1/integration"), tip)
	want(t, "own content", get(t, b.Dir, "lines.txt"), strings.Replace(numbered(40), "line 30\n", "thirty\n", 1))
	landed, err := land(t.Context(), line, b, worktree.Landing{Phase: "b", Verify: never, Judged: asked.Tree})
	if err != nil || landed.Reverified || !landed.Delivered {
		t.Fatalf("%+v %v", landed, err)
	}
	want(t, "what was judged has landed", l.own("rev-parse", "autobuild/r1/integration^{tree}"), asked.Tree)
	want(t, "overlap", fmt.Sprint(landed.Overlap), fmt.Sprintf("[{lines.txt a %s }]", first.Commit))
}

// Work that was judged on the tip lands while another phase is verified; the other phase is then
// merged with the new tip and verified once more.
func TestLandsPastAVerification(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	line := l.begin(worktree.Auto)
	a, b, c := l.open(line, "a"), l.open(line, "b"), l.open(line, "c")
	l.land(line, l.written(a, "a.txt"))
	l.written(b, "b.txt")
	l.written(c, "c.txt")
	judged := ok1(t, first(line.Candidate(t.Context(), c, worktree.Landing{})), nil)
	var tips []string
	landed, err := land(t.Context(), line, b, worktree.Landing{Verify: func(ctx context.Context, m worktree.Candidate) error {
		tips = append(tips, m.Tip)
		if len(tips) > 1 {
			return nil
		}
		past, err := line.Land(ctx, c, worktree.Landing{Judged: judged.Tree, Verify: func(context.Context, worktree.Candidate) error {
			return errors.New("judged before")
		}})
		want(t, "lands on", past.Commit != "" && l.git("rev-parse", past.Commit+"^") == m.Tip, true)
		return err
	}})
	want(t, "landed", words(err, landed.Reverified, landed.Delivered, len(tips)), "<nil> true true 2")
	want(t, "on the newest tip", l.git("rev-parse", "HEAD^"), tips[1])
	want(t, "files", l.git("ls-tree", "--name-only", "HEAD"), "README.md\na.txt\nb.txt\nc.txt\nlines.txt\nplan.md")
}

// written makes a file in a worktree.
func (l *lab) written(tree worktree.Tree, name string) worktree.Tree {
	l.t.Helper()
	put(l.t, tree.Dir, name, name)
	return tree
}

// A conflict of each kind lands nothing, names the other phase and both line ranges, and leaves the
// worktree as it was.
func TestConflicts(t *testing.T) {
	edit := func(from, to int, word string) string {
		lines := strings.SplitAfter(numbered(40), "\n")
		for i := from; i <= to; i++ {
			lines[i-1] = word + "\n"
		}
		return strings.Join(lines, "")
	}
	for _, c := range []struct {
		name, path, kind, lines, other string
		a, b                           func(dir string)
	}{
		{
			"content", "lines.txt", "contents", "15-30", "10-25",
			func(d string) { put(t, d, "lines.txt", edit(10, 25, "A")) }, func(d string) { put(t, d, "lines.txt", edit(15, 30, "B")) },
		},
		{
			"two hunks", "lines.txt", "contents", "10-12, 40", "11, 20",
			func(d string) {
				put(t, d, "lines.txt", edit(11, 11, "A"))
				put(t, d, "lines.txt", strings.Replace(edit(11, 11, "A"), "line 20\n", "A\n", 1))
			},
			func(d string) { put(t, d, "lines.txt", strings.Replace(edit(10, 12, "B"), "line 40\n", "B\n", 1)) },
		},
		{
			"add/add", "new.txt", "contents", "1-2", "1",
			func(d string) { put(t, d, "new.txt", "a\n") }, func(d string) { put(t, d, "new.txt", "b\nb\n") },
		},
		{
			"modify/delete", "README.md", "modify/delete", "1", "1",
			func(d string) { _ = os.Remove(filepath.Join(d, "README.md")) }, func(d string) { put(t, d, "README.md", "changed\n") },
		},
		{
			"binary", "new.bin", "binary", "", "",
			func(d string) { put(t, d, "new.bin", "a\x00a") }, func(d string) { put(t, d, "new.bin", "b\x00b") },
		},
		{
			"symlink and file", "new", "", "1", "1",
			func(d string) { put(t, d, "new", "a\n") }, func(d string) { _ = os.Symlink("README.md", filepath.Join(d, "new")) },
		},
		{
			"directory and file", "new", "file/directory", "1", "1",
			func(d string) { put(t, d, "new/deep", "a\n") }, func(d string) { put(t, d, "new", "b\n") },
		},
		{
			"mode and link", "README.md", "", "1", "1",
			func(d string) { put(t, d, "README.md", "a\n"); _ = os.Chmod(filepath.Join(d, "README.md"), 0o755) },
			func(d string) {
				_ = os.Remove(filepath.Join(d, "README.md"))
				_ = os.Symlink("plan.md", filepath.Join(d, "README.md"))
			},
		},
		{
			"rename/rename", "lines.txt", "rename/rename", "", "",
			func(d string) { _ = os.Rename(filepath.Join(d, "lines.txt"), filepath.Join(d, "a.txt")) },
			func(d string) { _ = os.Rename(filepath.Join(d, "lines.txt"), filepath.Join(d, "b.txt")) },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			line := l.begin(worktree.Auto)
			a, b := l.open(line, "a"), l.open(line, "b")
			c.a(a.Dir)
			c.b(b.Dir)
			landed := l.land(line, a)
			head, work := l.git("rev-parse", "HEAD"), ok1(t, first(line.Changes(t.Context(), b)), nil).Tree
			_, err := land(t.Context(), line, b, worktree.Landing{Phase: "b"})
			conflict, is := errors.AsType[*worktree.ConflictError](err)
			if !is {
				t.Fatalf("got %v", err)
			}
			i := slices.IndexFunc(conflict.Files, func(f worktree.ConflictFile) bool { return f.Path == c.path })
			if i < 0 {
				t.Fatalf("%+v", conflict.Files)
			}
			// nothing is the user's, and no path is one of git's own making
			for _, f := range conflict.Files {
				want(t, f.Path, words(f.Other, strings.Contains(f.Path, "~")), "a false")
			}
			f := conflict.Files[i]
			want(t, "other", f.Other+" "+f.OtherCommit, "a "+landed.Commit)
			if c.kind != "" {
				want(t, "kind", f.Kind, c.kind)
			}
			if c.lines != "" {
				want(t, "lines", f.Lines+" | "+f.OtherLines, c.lines+" | "+c.other)
			}
			want(t, "head", l.git("rev-parse", "HEAD"), head)
			want(t, "work", ok1(t, first(line.Changes(t.Context(), b)), nil).Tree, work)
			want(t, "status", l.status(), "")
			t.Log(err)
		})
	}
}

// Names that look like options, patterns or nothing printable are files like any other.
func TestHostileNames(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	names := []string{"--all", "-rf", "new\nline", "quo'te\"", "$(touch PWNED)", ":(glob)**", "non-utf8-\xff\xfe", "tab\t", " lead", "back\\slash", "*", ":"}
	tree := l.open(line, "1")
	for _, n := range names {
		put(t, tree.Dir, n, "x")
	}
	ch := ok1(t, first(line.Changes(t.Context(), tree)), nil)
	slices.Sort(names)
	want(t, "created", fmt.Sprintf("%q", ch.Created), fmt.Sprintf("%q", names))
	l.land(line, tree)
	got := strings.Split(strings.TrimSuffix(l.git("ls-tree", "-z", "--name-only", "HEAD"), "\x00"), "\x00")
	for _, n := range names {
		if !slices.Contains(got, n) {
			t.Errorf("%q was not committed", n)
		}
		want(t, n, get(t, l.top, n), "x")
	}
	want(t, "executed", missing(l.top, "PWNED"), true)
}

// A directory may become a link to another, and the link a directory again, also where a .gitignore
// covers its name.
func TestDirectoryBecomesLink(t *testing.T) {
	for _, ignored := range []string{"", "old\n"} {
		l := newLab(t)
		l.write("old/a/one.txt", "1\n")
		l.write("old/two.txt", "2\n")
		l.write("new/two.txt", "2\n")
		l.git("add", "-A")
		l.write(".gitignore", ignored)
		l.git("add", ".gitignore")
		l.git("commit", "-q", "-m", "directories")
		line := l.begin(worktree.Auto)
		tree := l.open(line, "1")
		if err := os.RemoveAll(filepath.Join(tree.Dir, "old")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("new", filepath.Join(tree.Dir, "old")); err != nil {
			t.Fatal(err)
		}
		if ignored != "" {
			l.gitIn(tree.Dir, "add", "-f", "old")
		}
		want(t, "delivered", words(l.land(line, tree).Delivered, l.status()), "true ")
		want(t, "link", l.git("ls-tree", "-r", "--name-only", "HEAD", "--", "old"), "old")
		if ignored != "" {
			continue
		}
		back := l.open(line, "2")
		if err := os.Remove(filepath.Join(back.Dir, "old")); err != nil {
			t.Fatal(err)
		}
		put(t, back.Dir, "old/two.txt", "again\n")
		want(t, "delivered", words(l.land(line, back).Delivered, l.status()), "true ")
		want(t, "directory", get(t, l.top, "old/two.txt"), "again\n")
	}
}

func TestNothingToLand(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	tree := l.open(line, "1")
	put(t, tree.Dir, "plan.md", "the agent ticked the plan\n")
	put(t, tree.Dir, ".autobuild/x", "x")
	ch := ok1(t, first(line.Changes(t.Context(), tree)), nil)
	want(t, "changes", fmt.Sprint(ch.Empty(), ch.PlanTouched), "true true")
	if _, err := land(t.Context(), line, tree, worktree.Landing{}); !errors.Is(err, worktree.ErrNoChange) {
		t.Errorf("got %v", err)
	}
	landed, err := land(t.Context(), line, tree, worktree.Landing{AllowEmpty: true})
	want(t, "message", l.git("log", "-1", "--format=%s %T"), "autobuild: phase 1 "+l.git("rev-parse", "HEAD^^{tree}"))
	want(t, "landed", fmt.Sprint(landed.Delivered, err), "true <nil>")
}

// Names that differ in case alone are two files here, and said to be one elsewhere; where the
// checkout folds case they conflict.
func TestCaseAlone(t *testing.T) {
	for _, folding := range []bool{false, true} {
		l := newLab(t)
		l.git("config", "core.ignorecase", fmt.Sprint(folding))
		line := l.begin(worktree.Auto)
		a, b := l.open(line, "a"), l.open(line, "b")
		put(t, a.Dir, "Notes.txt", "a\n")
		put(t, b.Dir, "notes.txt", "b\n")
		first := l.land(line, a)
		landed, err := land(t.Context(), line, b, worktree.Landing{Phase: "b"})
		if !folding {
			want(t, "overlap", fmt.Sprint(landed.Overlap, err), fmt.Sprintf("[{notes.txt a %s Notes.txt}] <nil>", first.Commit))
			continue
		}
		conflict, is := errors.AsType[*worktree.ConflictError](err)
		if !is {
			t.Fatalf("got %v", err)
		}
		want(t, "file", words(conflict.Files[0].Path, conflict.Files[0].Kind, conflict.Files[0].Other), "notes.txt case of Notes.txt a")
		want(t, "line", l.own("rev-parse", "autobuild/r1/integration"), first.Commit)
	}
}
