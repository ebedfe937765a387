package worktree_test

import (
	"testing"

	"autobuild/orchestrator/worktree"
)

// What another machine has landed on the run's line becomes part of the line here, once; what does
// not follow the line is refused.
func TestAdopt(t *testing.T) {
	l := newLab(t)
	ctx := t.Context()
	line := l.begin(worktree.Auto)
	tip := l.own("rev-parse", line.Branch)
	commit := l.git("commit-tree", tip+"^{tree}", "-p", tip, "-m",
		"feat: elsewhere\n\nAutobuild-Phase: 1\nAutobuild-Run: r1\nAutobuild-Attempt: k1")
	for range 2 {
		if err := line.Adopt(ctx, commit); err != nil {
			t.Fatal(err)
		}
		want(t, "the line", l.own("rev-parse", line.Branch), commit)
	}
	aside := l.git("commit-tree", tip+"^{tree}", "-m", "of no parent")
	if err := line.Adopt(ctx, aside); err == nil {
		t.Error("a commit that does not follow the line was adopted")
	}
	if d, err := line.Deliver(ctx); err != nil || !d.Delivered {
		t.Errorf("it was not delivered: %+v, %v", d, err)
	}
	want(t, "the checkout", l.git("rev-parse", "HEAD"), commit)
}

// Work that was kept of a phase is what its next attempt goes on from.
func TestKeep(t *testing.T) {
	l := newLab(t)
	ctx := t.Context()
	line := l.begin(worktree.Auto)
	tree := l.open(line, "p")
	put(t, tree.Dir, "half.txt", "half\n")
	content, err := line.Work(ctx, tree)
	if err != nil {
		t.Fatal(err)
	}
	work := l.git("commit-tree", content, "-p", tree.Base, "-m", "work")
	if err = line.Keep(ctx, "q", work); err != nil {
		t.Fatal(err)
	}
	kept, err := line.Kept(ctx, "q")
	want(t, "kept", words(kept, err), words(work, nil))
	other := l.open(line, "q")
	want(t, "its content", get(t, other.Dir, "half.txt"), "half\n")
}
