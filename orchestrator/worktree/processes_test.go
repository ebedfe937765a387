package worktree_test

import (
	"sync/atomic"
	"testing"

	"autobuild/internal/proc"
	"autobuild/orchestrator/worktree"
)

// The number of git processes that a phase starts is bounded, at 18 without gates: each costs
// milliseconds. A figure that falls is written here.
func TestProcesses(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	var started atomic.Int32
	l.run.Step = func(when proc.Moment, argv []string) error {
		if when == proc.Before && argv[0] == "git" {
			started.Add(1)
		}
		return nil
	}
	count := func(what string, most int32, err error) {
		t.Helper()
		switch n := started.Swap(0); {
		case err != nil:
			t.Fatalf("%s: %v", what, err)
		case n > most:
			t.Errorf("%s: %d git processes, more than %d", what, n, most)
		}
	}
	ctx := t.Context()
	line, err := l.tryBegin(worktree.Auto)
	count("find and begin", 18, err)
	for _, phase := range []string{"1", "2"} {
		tree, err := line.Open(ctx, phase, false)
		count("open", 3, err)
		put(t, tree.Dir, phase+".txt", "x")
		how := worktree.Landing{Phase: phase, Key: "k" + phase, Message: "do " + phase}
		_, err = line.Changes(ctx, tree)
		count("changes", 4, err)
		_, err = line.Candidate(ctx, tree, how)
		count("candidate", 0, err)
		_, err = land(ctx, line, tree, how)
		count("land and deliver", 5, err)
		count("done", 1, line.Done(ctx, tree))
	}
}
