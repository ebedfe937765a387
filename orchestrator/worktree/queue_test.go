package worktree_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"autobuild/orchestrator/worktree"
)

// queued is a line with phases that work, and a way to make their candidates.
func queued(t *testing.T, files map[string]string, phases ...string) (
	l *lab, line *worktree.Line, trees map[string]worktree.Tree, judge func(string) worktree.Candidate,
) {
	t.Helper()
	l = newLab(t)
	line = l.begin(worktree.Auto)
	trees = map[string]worktree.Tree{}
	for _, p := range phases {
		trees[p] = l.open(line, p)
	}
	for _, p := range phases {
		name := files[p]
		put(t, trees[p].Dir, name, p)
	}
	return l, line, trees, func(phase string) worktree.Candidate {
		t.Helper()
		return ok1(t, first(line.Candidate(t.Context(), trees[phase], worktree.Landing{})), nil)
	}
}

// Candidates are judged on top of each other at the same time, and land as they were judged, in
// their order, without another verification.
func TestCandidatesLandAsTheyWereJudgedTogether(t *testing.T) {
	l, line, trees, judge := queued(t, map[string]string{"a": "a.txt", "b": "b.txt", "c": "c.txt"}, "a", "b", "c")
	ofA, ofB, ofC := judge("a"), judge("b"), judge("c")
	want(t, "ahead", words(ofA.Ahead, ofB.Ahead, ofC.Ahead), "false true true")
	want(t, "together", l.git("ls-tree", "--name-only", ofC.Tree), "README.md\na.txt\nb.txt\nc.txt\nlines.txt\nplan.md")
	never := func(context.Context, worktree.Candidate) error { return errors.New("judged before") }
	ends := make(chan string, 3)
	for phase, c := range map[string]worktree.Candidate{"c": ofC, "b": ofB} {
		go func() {
			landed, err := line.Land(t.Context(), trees[phase], worktree.Landing{Judged: c.Tree, Verify: never})
			ends <- words(phase, landed.Reverified, err)
		}()
	}
	landed, err := line.Land(t.Context(), trees["a"], worktree.Landing{Judged: ofA.Tree, Verify: never})
	want(t, "a", words(landed.Reverified, err), "false <nil>")
	for range 2 {
		if end := <-ends; !strings.HasSuffix(end, " false <nil>") {
			t.Error(end)
		}
	}
	want(t, "order", l.own("log", "--format=%T", "autobuild/r1/integration"), strings.Join([]string{ofC.Tree, ofB.Tree, ofA.Tree, l.git("rev-parse", "main^{tree}")}, "\n"))
}

// Where a candidate is given up, those on top of it are merged and judged again.
func TestCandidatesOnTopOfOneThatIsGivenUp(t *testing.T) {
	l, line, trees, judge := queued(t, map[string]string{"a": "a.txt", "b": "b.txt", "c": "c.txt"}, "a", "b", "c")
	judge("a")
	ofB := judge("b")
	line.Drop("a")
	var asked worktree.Candidate
	landed, err := line.Land(t.Context(), trees["b"], worktree.Landing{Judged: ofB.Tree, Verify: func(_ context.Context, c worktree.Candidate) error {
		asked = c
		return nil
	}})
	want(t, "b", words(landed.Reverified, err, asked.Ahead), "true <nil> false")
	want(t, "without a", l.own("ls-tree", "--name-only", "autobuild/r1/integration"), "README.md\nb.txt\nlines.txt\nplan.md")
	want(t, "c stands on the tip", judge("c").Ahead, false)
}

// A candidate that conflicts with the one before it is judged on the tip, and one whose place is
// kept waits for nothing behind it.
func TestCandidatesThatConflict(t *testing.T) {
	_, line, trees, judge := queued(t, map[string]string{"a": "same.txt", "b": "same.txt"}, "a", "b")
	ofA, ofB := judge("a"), judge("b")
	want(t, "ahead", words(ofA.Ahead, ofB.Ahead, judge("a").Ahead), "false false false")
	want(t, "first", line.Ahead(t.Context(), "a"), nil)
	never := func(context.Context, worktree.Candidate) error { return errors.New("judged before") }
	_, err := line.Land(t.Context(), trees["a"], worktree.Landing{Judged: ofA.Tree, Verify: never})
	want(t, "a", err, nil)
	_, err = line.Land(t.Context(), trees["b"], worktree.Landing{Judged: ofB.Tree, Verify: never})
	if _, conflict := errors.AsType[*worktree.ConflictError](err); !conflict {
		t.Errorf("b: %v", err)
	}
}

// A wait for other candidates ends with its context.
func TestAheadEndsWithItsContext(t *testing.T) {
	_, line, _, judge := queued(t, map[string]string{"a": "a.txt", "b": "b.txt"}, "a", "b")
	judge("a")
	judge("b")
	ctx, stop := context.WithCancelCause(t.Context())
	why := errors.New("stopped")
	stop(why)
	if err := line.Ahead(ctx, "b"); !errors.Is(err, why) {
		t.Error(err)
	}
}
