package worktree_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"autobuild/orchestrator/worktree"
)

// A retry goes on in the same worktree; after others landed, the work is carried onto them; what
// conflicts, or is to go, is kept aside.
func TestReopen(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	p := l.open(line, "p")
	put(t, p.Dir, "mine.txt", "mine")
	put(t, p.Dir, "README.md", "hello from p\n")
	again := l.open(line, "p")
	want(t, "in place", words(again.Reused, again.Kept, again.Base == p.Base, get(t, p.Dir, "mine.txt")), "true  true mine")

	q := l.open(line, "q")
	put(t, q.Dir, "q.txt", "q")
	tip := l.land(line, q).Commit
	carried := l.open(line, "p")
	want(t, "carried", words(carried.Reused, carried.Kept, carried.Base == tip), "true  true")
	want(t, "files", get(t, p.Dir, "mine.txt")+get(t, p.Dir, "q.txt")+get(t, p.Dir, "README.md"), "mineqhello from p\n")
	want(t, "git agrees", l.gitIn(p.Dir, "status", "--porcelain"), " M README.md\n?? mine.txt")

	r := l.open(line, "r")
	put(t, r.Dir, "README.md", "hello from r\n")
	tip = l.land(line, r).Commit
	fresh := l.open(line, "p")
	want(t, "conflict", words(fresh.Reused, fresh.Kept, fresh.Base == tip), "false autobuild/r1/p.kept-1 true")
	want(t, "fresh files", words(missing(p.Dir, "mine.txt"), get(t, p.Dir, "README.md")), "true hello from r\n")
	want(t, "kept", l.own("show", "autobuild/r1/p.kept-1:README.md"), "hello from p")

	put(t, p.Dir, "second.txt", "second")
	clean, err := line.Open(t.Context(), "p", true)
	want(t, "clean", words(clean.Reused, clean.Kept, err, missing(p.Dir, "second.txt")), "false autobuild/r1/p.kept-2 <nil> true")
	clean, err = line.Open(t.Context(), "p", true)
	want(t, "nothing to keep", words(clean.Kept, err), " <nil>")
}

// After any damage by an agent to its worktree, its work is found or reported, and the next attempt
// has a sound place.
func TestDamage(t *testing.T) {
	run := func(t *testing.T, dir string, l *lab, args ...string) { t.Helper(); l.gitIn(dir, args...) }
	for _, c := range []struct {
		name  string
		do    func(t *testing.T, l *lab, dir string)
		gone  bool
		after string // mine.txt after the next Open
	}{
		{"commits itself", func(t *testing.T, l *lab, d string) {
			run(t, d, l, "add", "-A")
			run(t, d, l, "commit", "-qm", "agent\n\nAutobuild-Phase: q\nAutobuild-Run: r1")
		}, false, "mine"},
		{"switches branch", func(t *testing.T, l *lab, d string) {
			run(t, d, l, "checkout", "-q", "-B", "elsewhere")
			run(t, d, l, "add", "-A")
			run(t, d, l, "commit", "-qm", "agent")
		}, false, "mine"},
		{"detaches", func(t *testing.T, l *lab, d string) { run(t, d, l, "checkout", "-q", "--detach") }, false, "mine"},
		{"leaves index.lock", func(t *testing.T, l *lab, d string) { put(t, run2(l, d), "index.lock", "") }, false, "mine"},
		{"half a merge", func(t *testing.T, l *lab, d string) {
			put(t, run2(l, d), "MERGE_HEAD", l.git("rev-parse", "HEAD")+"\n")
		}, false, "mine"},
		{"replaces .git by its own repository", func(t *testing.T, l *lab, d string) {
			_ = os.RemoveAll(filepath.Join(d, ".git"))
			run(t, d, l, "init", "-q")
			run(t, d, l, "config", "core.fsmonitor", "touch "+filepath.Join(l.top, "PWNED"))
		}, false, "mine"},
		{"deletes .git", func(t *testing.T, _ *lab, d string) { _ = os.RemoveAll(filepath.Join(d, ".git")) }, false, "mine"},
		{"spoils its index", func(t *testing.T, l *lab, d string) { put(t, run2(l, d), "index", "garbage") }, false, "mine"},
		{"deletes its worktree", func(t *testing.T, _ *lab, d string) { _ = os.RemoveAll(d) }, true, ""},
		{"puts a link in its place", func(t *testing.T, l *lab, d string) { _ = os.RemoveAll(d); _ = os.Symlink(l.top, d) }, true, ""},
		{"removes git's record", func(t *testing.T, l *lab, d string) { _ = os.RemoveAll(run2(l, d)) }, false, "mine"},
		{"prunes with -f", func(t *testing.T, l *lab, d string) {
			run(t, d, l, "worktree", "prune")
			run(t, d, l, "gc", "-q", "--prune=now")
		}, false, "mine"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			line := l.begin(worktree.Auto)
			tree := l.open(line, "p")
			put(t, tree.Dir, "mine.txt", "mine")
			c.do(t, l, tree.Dir)
			ch, err := line.Changes(t.Context(), tree)
			if _, gone := errors.AsType[*worktree.GoneError](err); gone != c.gone {
				t.Fatalf("changes %+v, %v", ch, err)
			}
			if !c.gone {
				want(t, "created", fmt.Sprint(ch.Created), "[mine.txt]")
			}
			tree = l.open(line, "p")
			if c.after == "" {
				want(t, "work", missing(tree.Dir, "mine.txt"), true)
			} else {
				want(t, "work", get(t, tree.Dir, "mine.txt"), c.after)
			}
			want(t, "HEAD", l.gitIn(tree.Dir, "symbolic-ref", "HEAD")+" "+l.gitIn(tree.Dir, "rev-parse", "HEAD"), tree.Branch+" "+tree.Base)
			want(t, "git's root", l.gitIn(tree.Dir, "rev-parse", "--show-toplevel"), tree.Dir)
			put(t, tree.Dir, "more.txt", "more")
			want(t, "landed", l.land(line, tree).Delivered, true)
			want(t, "tree", l.git("show", "HEAD:more.txt"), "more")
			want(t, "nothing ran", missing(l.top, "PWNED"), true)
			want(t, "status", l.status(), "")
			want(t, "main", l.git("rev-list", "--count", "HEAD"), "2")
		})
	}
}

// run2 names git's own directory for a worktree.
func run2(l *lab, dir string) string { return l.gitIn(dir, "rev-parse", "--absolute-git-dir") }

// Files that git ignores but the agent added by force are work; a repository inside the work is
// named, not swallowed.
func TestForcedAndNested(t *testing.T) {
	l := newLab(t)
	l.write(".gitignore", "dist/\n")
	l.git("add", "-A")
	l.git("commit", "-qm", "ignore")
	line := l.begin(worktree.Auto)
	tree := l.open(line, "p")
	put(t, tree.Dir, "dist/out.js", "js")
	put(t, tree.Dir, "dist/other.js", "js")
	l.gitIn(tree.Dir, "add", "-f", "dist/out.js")
	ch := ok1(t, first(line.Changes(t.Context(), tree)), nil)
	want(t, "created", fmt.Sprint(ch.Created), "[dist/out.js]")
	for _, commits := range []bool{false, true} {
		inner := filepath.Join(tree.Dir, "vendor", "inner")
		put(t, inner, "x", "x")
		l.gitIn(inner, "init", "-q")
		if commits {
			l.gitIn(inner, "add", "-A")
			l.gitIn(inner, "-c", "user.name=x", "-c", "user.email=x", "commit", "-qm", "x")
		}
		_, err := line.Changes(t.Context(), tree)
		nested, is := errors.AsType[*worktree.NestedError](err)
		if !is || fmt.Sprint(nested.Paths) != "[vendor/inner]" {
			t.Fatalf("got %v", err)
		}
	}
	// The next attempt finds it where it was, and may take it away.
	want(t, "reused", l.open(line, "p").Reused, true)
	// An attempt that begins afresh has not made it: all of it is moved away, and nothing of it is
	// lost.
	for _, name := range []string{"p-1", "p-2"} {
		clean := ok1(t, first(line.Open(t.Context(), "p", true)), nil)
		want(t, "moved", filepath.Base(clean.Moved), name)
		for _, path := range []string{"vendor/inner/x", "vendor/inner/.git"} {
			if _, err := os.Lstat(filepath.Join(clean.Moved, path)); err != nil {
				t.Errorf("not kept: %v", err)
			}
		}
		if _, err := os.Lstat(filepath.Join(clean.Dir, "vendor")); err == nil {
			t.Error("the new worktree holds what was moved away")
		}
		want(t, "created", fmt.Sprint(ok1(t, first(line.Changes(t.Context(), clean)), nil).Created), "[]")
		put(t, clean.Dir, "vendor/inner/x", "x")
		l.gitIn(filepath.Join(clean.Dir, "vendor", "inner"), "init", "-q")
	}
	want(t, "removed", os.RemoveAll(filepath.Join(tree.Dir, "vendor", "inner", ".git")), nil)
	want(t, "landed", l.land(line, l.open(line, "p")).Delivered, true)
}

// .worktreeinclude brings untracked files along; they never become work, and no link leads out.
func TestIncluded(t *testing.T) {
	l := newLab(t)
	outside := t.TempDir()
	put(t, outside, "secret", "secret")
	l.write(".gitignore", ".env\n")
	l.write(".worktreeinclude", "# local settings\n.env\nlocal/**\n!local/skip.txt\nREADME.md\n")
	l.git("add", "-A")
	l.git("commit", "-qm", "settings")
	l.write(".env", "KEY=1\n")
	l.write("local/conf", "c")
	l.write("local/skip.txt", "s")
	if err := errors.Join(os.Symlink(outside, filepath.Join(l.top, "local", "out")), os.Symlink("conf", filepath.Join(l.top, "local", "in"))); err != nil {
		t.Fatal(err)
	}
	line := l.begin(worktree.Auto)
	tree := l.open(line, "p")
	want(t, "copied", get(t, tree.Dir, ".env")+get(t, tree.Dir, "local/conf")+get(t, tree.Dir, "local/in"), "KEY=1\ncc")
	want(t, "left", fmt.Sprint(missing(tree.Dir, "local/skip.txt"), missing(tree.Dir, "local/out")), "true true")
	put(t, tree.Dir, "work.txt", "w")
	ch := ok1(t, first(line.Changes(t.Context(), tree)), nil)
	want(t, "created", fmt.Sprint(ch.Created), "[work.txt]")
}

// A filter, hook or monitor that appears during the run is never started; one that was there from
// the start does its work.
func TestPlantedPrograms(t *testing.T) {
	l := newLab(t)
	l.git("config", "filter.upper.clean", "tr a-z A-Z")
	l.git("config", "filter.upper.smudge", "tr A-Z a-z")
	l.write(".gitattributes", "*.up filter=upper\n")
	l.git("add", "-A")
	l.git("commit", "-qm", "filter")
	line := l.begin(worktree.Auto)
	tree := l.open(line, "p")
	bomb := "touch " + filepath.Join(l.top, "PWNED") + "; cat"
	for _, key := range []string{
		"filter.kit.clean", "filter.kit.smudge", "core.fsmonitor", "diff.external", "gpg.program", "merge.kit.driver",
		"filter.upper.process",
	} {
		l.gitIn(tree.Dir, "config", key, bomb)
	}
	l.gitIn(tree.Dir, "config", "commit.gpgSign", "true")
	for _, hook := range []string{"pre-commit", "post-checkout", "reference-transaction", "post-index-change"} {
		put(t, l.top, ".git/hooks/"+hook, "#!/bin/sh\n"+bomb+"\n")
		if err := os.Chmod(filepath.Join(l.top, ".git/hooks", hook), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put(t, tree.Dir, ".gitattributes", "*.up filter=upper\n*.txt filter=kit merge=kit\n")
	put(t, tree.Dir, "a.txt", "a")
	put(t, tree.Dir, "b.up", "abc")
	l.land(line, tree)
	if err := line.Done(t.Context(), tree); err != nil {
		t.Fatal(err)
	}
	next := l.open(line, "next")
	want(t, "smudged", get(t, next.Dir, "b.up"), "abc")
	want(t, "nothing ran", missing(l.top, "PWNED"), true)
	resumed := l.begin(worktree.Auto)
	l.land(resumed, func() worktree.Tree { put(t, next.Dir, "c.txt", "c"); return l.open(resumed, "next") }())
	want(t, "nothing ran on resume", missing(l.top, "PWNED"), true)
	want(t, "cleaned", l.git("cat-file", "blob", "HEAD:b.up"), "ABC")
}
