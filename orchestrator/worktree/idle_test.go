package worktree_test

import (
	"os"
	"strings"
	"testing"

	"autobuild/orchestrator/worktree"
)

// A write into a worktree whose phase is not at work is reported, put back and kept; the phase's
// own writes there are not.
func TestDisturbed(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	p, q := l.open(line, "p"), l.open(line, "q")
	put(t, p.Dir, "half.txt", "half done\n")
	put(t, p.Dir, "README.md", "hello there\n")
	if err := line.Rest(t.Context(), map[string]bool{"q": true}); err != nil {
		t.Fatal(err)
	}
	quiet := func(when string) {
		t.Helper()
		if found, err := line.Disturbed(t.Context()); err != nil || len(found) > 0 {
			t.Errorf("%s: found %q, %v", when, found, err)
		}
	}
	quiet("nothing happened")
	put(t, q.Dir, "own.txt", "q's own")
	quiet("q worked in its own")

	put(t, p.Dir, "half.txt", "done otherwise\n")
	put(t, p.Dir, "more.txt", "more")
	if err := os.Remove(p.Dir + "/lines.txt"); err != nil {
		t.Fatal(err)
	}
	found, err := line.Disturbed(t.Context())
	if err != nil || len(found) != 1 {
		t.Fatalf("found %q, %v", found, err)
	}
	for _, part := range []string{"phase p", "half.txt", "lines.txt", "more.txt", "kept in refs/autobuild/breach/r1/"} {
		want(t, part, strings.Contains(found[0], part), true)
	}
	want(t, "half.txt", get(t, p.Dir, "half.txt"), "half done\n")
	want(t, "README.md", get(t, p.Dir, "README.md"), "hello there\n")
	want(t, "lines.txt", get(t, p.Dir, "lines.txt"), numbered(40))
	want(t, "more.txt is gone", missing(p.Dir, "more.txt"), true)
	kept := l.git("for-each-ref", "--format=%(refname)", "refs/autobuild/breach")
	want(t, "kept", l.git("show", kept+":more.txt"), "more")
	quiet("told once")

	p = l.open(line, "p")
	put(t, p.Dir, "half.txt", "whole\n")
	quiet("p is at work again")
	l.land(line, p)
	want(t, "landed", l.git("show", "HEAD:half.txt"), "whole")
}

// What a reviewer writes into the worktree of the phase that it reviews is put back, and what lands
// is what was held: also where the worktree is gone.
func TestHeld(t *testing.T) {
	for _, gone := range []bool{false, true} {
		l := newLab(t)
		line := l.begin(worktree.Auto)
		p := l.open(line, "p")
		put(t, p.Dir, "work.txt", "good\n")
		if err := line.Hold(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		put(t, p.Dir, "work.txt", "evil\n")
		if gone {
			if err := os.RemoveAll(p.Dir); err != nil {
				t.Fatal(err)
			}
		}
		if found, err := line.Disturbed(t.Context()); err != nil || len(found) != 1 {
			t.Errorf("found %q, %v", found, err)
		}
		put(t, p.Dir, "work.txt", "late\n")
		l.land(line, p)
		want(t, "landed", l.git("show", "HEAD:work.txt"), "good")
	}
}

// The next attempt takes up the content of a worktree that another phase's agent has removed.
func TestDisturbedByRemoval(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	p := l.open(line, "p")
	put(t, p.Dir, "half.txt", "half done\n")
	if err := line.Rest(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(p.Dir); err != nil {
		t.Fatal(err)
	}
	found, err := line.Disturbed(t.Context())
	if err != nil || len(found) != 1 || !strings.Contains(found[0], "removed; what it held is on branch autobuild/r1/p") {
		t.Errorf("found %q, %v", found, err)
	}
	if found, err = line.Disturbed(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("a second time: %q, %v", found, err)
	}
	p = l.open(line, "p")
	want(t, "half.txt", get(t, p.Dir, "half.txt"), "half done\n")
}
