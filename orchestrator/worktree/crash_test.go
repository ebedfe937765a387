package worktree_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/orchestrator/worktree"
)

// mortal gives the lab a git that works n times and then no more, as if the process had died
// between two of its calls.
func (l *lab) mortal(n int) (environ []string, calls func() int) {
	l.t.Helper()
	program, err := exec.LookPath("git")
	if err != nil {
		l.t.Fatal(err)
	}
	dir := l.t.TempDir()
	put(l.t, dir, "git", fmt.Sprintf("#!/bin/sh\nprintf x >>'%s/calls'\nset -- \"$@\"\n"+
		"if [ \"$(wc -c <'%s/calls')\" -gt %d ]; then exit 99; fi\nexec %s \"$@\"\n", dir, dir, n, program))
	if err := os.Chmod(filepath.Join(dir, "git"), 0o755); err != nil {
		l.t.Fatal(err)
	}
	environ = append([]string(nil), l.environ...)
	for i, kv := range environ {
		if rest, ok := strings.CutPrefix(kv, "PATH="); ok {
			environ[i] = "PATH=" + dir + ":" + rest
		}
	}
	return environ, func() int { return len(get(l.t, dir, "calls")) }
}

var everyCrash = flag.Bool("every-crash", false, "let git die after each of its calls, not only after some")

// For every k, git dies after its k-th call while a phase opens, meets another's work, is verified,
// lands, is delivered and cleared away. The next start reaches the same end: one commit a phase,
// every file, a clean checkout, no worktree left.
func TestEveryCrash(t *testing.T) {
	total := crashAt(t, 1<<20)
	if total < 40 {
		t.Fatalf("only %d calls: the scenario does not do what it says", total)
	}
	step := 13 // coprime to the calls of a phase, so that over the phases every kind of step is met
	if *everyCrash {
		step = 1
	}
	for k := 0; k < total; k += step {
		t.Run(fmt.Sprint(k), func(t *testing.T) { t.Parallel(); crashAt(t, k) })
	}
}

func crashAt(t *testing.T, k int) int {
	l := newLab(t)
	healthy := l.environ
	var calls func() int
	l.environ, calls = l.mortal(k)
	died := scenario(l, true) != nil
	n := 0
	if k > 0 {
		n = calls()
	}
	if died == (k == 1<<20) {
		t.Fatalf("died: %v", died)
	}
	l.environ = healthy
	if died {
		if err := scenario(l, false); err != nil {
			t.Fatal(err)
		}
	}
	want(t, "log", l.git("log", "--format=%s"), "do q\ndo p\nfirst")
	want(t, "files", get(t, l.top, "p.txt")+get(t, l.top, "q.txt"), "pq")
	want(t, "merged", strings.Count(get(t, l.top, "lines.txt"), "three\n")+strings.Count(get(t, l.top, "lines.txt"), "thirty\n"), 2)
	want(t, "plan", strings.Count(get(t, l.top, "plan.md"), "✅"), 2)
	want(t, "status", l.status(), "")
	want(t, "branches", l.git("for-each-ref", "--format=%(refname)", "refs/heads"), "refs/heads/main")
	want(t, "worktrees", strings.Count(l.git("worktree", "list", "--porcelain"), "worktree "), 1)
	return n
}

// scenario is the life of two phases that start together. On a resume, agents do not run again
// where their work is found.
func scenario(l *lab, first bool) error {
	ctx := context.Background()
	line, err := l.tryBegin(worktree.Auto)
	if err != nil {
		return err
	}
	done, err := line.Landed(ctx)
	if err != nil {
		return err
	}
	trees := map[string]worktree.Tree{}
	for _, phase := range []string{"p", "q"} {
		if done[phase] == "" || first {
			if trees[phase], err = line.Open(ctx, phase, false); err != nil {
				return err
			}
			if missing(trees[phase].Dir, phase+".txt") {
				from, to := "line 3\n", "three\n"
				if phase == "q" {
					from, to = "line 30\n", "thirty\n"
				}
				put(l.t, trees[phase].Dir, phase+".txt", phase)
				put(l.t, trees[phase].Dir, "lines.txt", strings.Replace(get(l.t, trees[phase].Dir, "lines.txt"), from, to, 1))
			}
		} else {
			trees[phase] = worktree.Tree{Phase: phase}
		}
	}
	for i, phase := range []string{"p", "q"} {
		id := fmt.Sprint(i + 1)
		_, err = land(ctx, line, trees[phase], worktree.Landing{
			Message: "do " + phase, Verify: func(context.Context, worktree.Candidate) error { return nil },
			Mark: func(b []byte) ([]byte, error) {
				return []byte(strings.Replace(string(b), "| "+id+" | ⬜", "| "+id+" | ✅", 1)), nil
			},
		})
		if err != nil {
			return err
		}
	}
	for _, phase := range []string{"p", "q"} {
		if err = line.Done(ctx, trees[phase]); err != nil {
			return err
		}
	}
	d, err := line.Finish(ctx, "")
	if err == nil && !d.Delivered {
		return fmt.Errorf("not delivered: %s", d.Why)
	}
	return err
}

// A delivery that was cut off in the middle of writing files is completed, not taken for the user's
// edits.
func TestHalfDelivered(t *testing.T) {
	for _, mode := range []string{worktree.Auto, worktree.MessageOnly} {
		l := newLab(t)
		line := l.begin(mode)
		tree := l.open(line, "p")
		put(t, tree.Dir, "new.txt", "new\n")
		put(t, tree.Dir, "README.md", "changed\n")
		_ = os.Remove(filepath.Join(tree.Dir, "lines.txt"))
		l.write("new.txt", "new\n")
		l.write("README.md", "changed\n")
		_ = os.Remove(filepath.Join(l.top, "lines.txt"))
		uncommitted := map[string]string{worktree.MessageOnly: " M README.md\n D lines.txt\n?? new.txt"}[mode]
		want(t, "delivered", words(l.land(line, tree).Undelivered, l.status()), " "+uncommitted)
	}
}

// A process that dies while the merged content is being verified leaves the phase's own work to the
// next one, untouched.
func TestDiesWhileVerifying(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	a, b := l.open(line, "a"), l.open(line, "b")
	put(t, a.Dir, "a.txt", "a")
	put(t, b.Dir, "b.txt", "b")
	l.land(line, a)
	_, err := land(t.Context(), line, b, worktree.Landing{Verify: func(ctx context.Context, c worktree.Candidate) error {
		shown := ok1(t, first(line.Checkout(ctx)), nil)
		want(t, "shown", shown.Show(ctx, c.Tree), nil)
		want(t, "merged", words(get(t, shown.Dir, "a.txt"), get(t, shown.Dir, "b.txt")), "a b")
		put(t, shown.Dir, "b.txt", "spoiled by a gate")
		next := l.begin(worktree.Auto) // the next process; this one never comes back
		want(t, "swept", missing(shown.Dir, "b.txt"), true)
		tree := l.open(next, "b")
		want(t, "reused", words(tree.Reused, tree.Kept, get(t, tree.Dir, "a.txt"), get(t, tree.Dir, "b.txt")), "true  a b")
		ch := ok1(t, first(next.Changes(t.Context(), tree)), nil)
		want(t, "changes", words(ch.Created, ch.Modified, ch.Deleted), "[b.txt] [] []")
		return context.Canceled
	}})
	want(t, "not landed", err != nil, true)
}
