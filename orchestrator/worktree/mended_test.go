package worktree_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"autobuild/orchestrator/worktree"
)

// clash makes phase p conflict with landed phase q, and gives p's worktree and the conflict.
func (l *lab) clash(line *worktree.Line) (worktree.Tree, *worktree.ConflictError) {
	l.t.Helper()
	p, q := l.open(line, "p"), l.open(line, "q")
	put(l.t, q.Dir, "README.md", "hello from q\n")
	put(l.t, q.Dir, "q.txt", "q\n")
	put(l.t, q.Dir, "logo", "\x00q")
	l.land(line, q)
	put(l.t, p.Dir, "README.md", "hello from p\n")
	put(l.t, p.Dir, "mine.txt", "mine\n")
	put(l.t, p.Dir, "plan.md", "the agent's own idea\n")
	_, err := land(l.t.Context(), line, p, worktree.Landing{Message: "do p", Mark: tick("p")})
	conflict, is := errors.AsType[*worktree.ConflictError](err)
	if !is {
		l.t.Fatalf("got %v", err)
	}
	want(l.t, "the way to merge", words(conflict.Dir == p.Dir, conflict.Branch), "true autobuild/r1/integration")
	return p, conflict
}

// pull runs the merge that a conflict asks for; it must get as far as the conflict.
func (l *lab) pull(c *worktree.ConflictError) {
	l.t.Helper()
	if out, err := l.tryGit(c.Dir, "merge", c.Branch); err == nil {
		l.t.Fatalf("no conflict: %s", out)
	}
	want(l.t, "in conflict", l.gitIn(c.Dir, "diff", "--name-only", "--diff-filter=U"), "README.md")
}

// After a conflict a person merges the line in the phase's worktree, as they would anywhere, and
// their result is the work: nothing is set aside, nothing of the other phase is lost, and it lands
// on the new tip as one commit.
func TestMergedInTheWorktree(t *testing.T) {
	const both = "hello from p and q\n"
	write := func(t *testing.T, c *worktree.ConflictError) { t.Helper(); put(t, c.Dir, "README.md", both) }
	for _, c := range []struct {
		name   string
		do     func(t *testing.T, l *lab, c *worktree.ConflictError)
		result string
	}{
		{"committed", func(t *testing.T, l *lab, c *worktree.ConflictError) {
			l.pull(c)
			write(t, c)
			l.gitIn(c.Dir, "commit", "-q", "-a", "--no-edit")
		}, both},
		{"added", func(t *testing.T, l *lab, c *worktree.ConflictError) {
			l.pull(c)
			write(t, c)
			l.gitIn(c.Dir, "add", "README.md")
		}, both},
		{"only edited", func(t *testing.T, l *lab, c *worktree.ConflictError) { l.pull(c); write(t, c) }, both},
		{"theirs taken", func(_ *testing.T, l *lab, c *worktree.ConflictError) {
			l.pull(c)
			l.gitIn(c.Dir, "checkout", "-q", "--theirs", "README.md")
		}, "hello from q\n"},
		{"ours taken", func(_ *testing.T, l *lab, c *worktree.ConflictError) {
			l.pull(c)
			l.gitIn(c.Dir, "checkout", "-q", "--ours", "README.md")
		}, "hello from p\n"},
		{"with the user's branch", func(t *testing.T, l *lab, c *worktree.ConflictError) {
			c.Branch = "main"
			l.pull(c)
			write(t, c)
		}, both},
		{"rebased", func(t *testing.T, l *lab, c *worktree.ConflictError) {
			if out, err := l.tryGit(c.Dir, "rebase", c.Branch); err == nil {
				t.Fatalf("no conflict: %s", out)
			}
			write(t, c)
			l.gitIn(c.Dir, "add", "README.md")
			l.gitIn(c.Dir, "-c", "core.editor=true", "rebase", "--continue")
		}, both},
		{"in the midst of a rebase", func(t *testing.T, l *lab, c *worktree.ConflictError) {
			_, _ = l.tryGit(c.Dir, "rebase", c.Branch)
			write(t, c)
		}, both},
		{"edited to agree, without git", func(t *testing.T, _ *lab, c *worktree.ConflictError) {
			put(t, c.Dir, "README.md", "hello from q\n")
		}, "hello from q\n"},
		{"edited to agree, and committed", func(t *testing.T, l *lab, c *worktree.ConflictError) {
			put(t, c.Dir, "README.md", "hello from q\n")
			l.gitIn(c.Dir, "commit", "-q", "-a", "-m", "let q have it")
		}, "hello from q\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			_, conflict := l.clash(l.begin(worktree.Auto))
			c.do(t, l, conflict)
			line, tip := l.begin(worktree.Auto), l.git("rev-parse", "autobuild/r1/integration")
			again := l.open(line, "p")
			want(t, "used", words(again.Reused, again.Kept, again.Base == tip), "true  true")
			want(t, "HEAD", l.gitIn(again.Dir, "symbolic-ref", "HEAD")+" "+l.gitIn(again.Dir, "rev-parse", "HEAD"), again.Branch+" "+tip)
			ch := ok1(t, first(line.Changes(t.Context(), again)), nil)
			want(t, "deleted", fmt.Sprint(ch.Deleted), "[]")
			landed := l.land(line, again)
			want(t, "landed", landed.Delivered, true)
			want(t, "one commit", l.git("rev-list", "--count", "HEAD"), "3")
			want(t, "files", get(t, l.top, "README.md")+get(t, l.top, "mine.txt")+get(t, l.top, "q.txt"), c.result+"mine\nq\n")
		})
	}
}

// A merge by hand stays good for what it merged when the line has moved on since, whether by the
// user's commit or another phase.
func TestMergedInTheWorktreeBefore(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	_, conflict := l.clash(line)
	l.pull(conflict)
	put(t, conflict.Dir, "README.md", "hello from p and q\n")
	l.landFile(line, "r", "r.txt", "r\n")
	l.write("own.txt", "own\n")
	l.git("add", "-A")
	l.git("commit", "-qm", "own")
	line = l.begin(worktree.Auto)
	again := l.open(line, "p")
	want(t, "used", words(again.Reused, again.Kept), "true ")
	want(t, "landed", l.land(line, again).Delivered, true)
	want(t, "files", get(t, l.top, "README.md")+get(t, l.top, "r.txt")+get(t, l.top, "own.txt"), "hello from p and q\nr\nown\n")
}

// A merge that is not resolved is not the phase's work: it is named, and left as it is until a
// person has finished it.
func TestMergeLeftOpen(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(t *testing.T, l *lab, c *worktree.ConflictError)
	}{
		{"untouched", func(*testing.T, *lab, *worktree.ConflictError) {}},
		{"in part", func(t *testing.T, _ *lab, c *worktree.ConflictError) {
			put(t, c.Dir, "README.md", "resolved\n<<<<<<< HEAD\nmine\n=======\ntheirs\n>>>>>>> autobuild/r1/integration\n")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			line := l.begin(worktree.Auto)
			_, conflict := l.clash(line)
			l.pull(conflict)
			c.do(t, l, conflict)
			before := snapshot(t, conflict.Dir)
			for range 2 {
				_, err := l.begin(worktree.Auto).Open(t.Context(), "p", false)
				open, is := errors.AsType[*worktree.UnresolvedError](err)
				if !is || fmt.Sprint(open.Paths) != "[README.md]" {
					t.Fatalf("got %v", err)
				}
			}
			want(t, "untouched", snapshot(t, conflict.Dir), before)
			put(t, conflict.Dir, "README.md", "at last\n")
			want(t, "resolved", words(l.open(l.begin(worktree.Auto), "p").Reused), "true")
		})
	}
}

// A file in which git cannot set marks is resolved by a change, or by git add.
func TestMergeOfWhatCannotBeMarked(t *testing.T) {
	for _, told := range []bool{false, true} {
		l := newLab(t)
		line := l.begin(worktree.Auto)
		p, q := l.open(line, "p"), l.open(line, "q")
		put(t, q.Dir, "logo", "\x00q")
		l.land(line, q)
		put(t, p.Dir, "logo", "\x00p")
		if _, err := land(t.Context(), line, p, worktree.Landing{}); err == nil {
			t.Fatal("no conflict")
		}
		if _, err := l.tryGit(p.Dir, "merge", "autobuild/r1/integration"); err == nil {
			t.Fatal("no conflict")
		}
		if told {
			l.gitIn(p.Dir, "add", "logo")
		}
		_, err := line.Open(t.Context(), "p", false)
		_, open := errors.AsType[*worktree.UnresolvedError](err)
		want(t, "open", open, !told)
	}
}

// Only a person's merge after a conflict moves the base: an agent that puts its branch on the line
// without its content has not merged it, and takes nothing of another phase back.
func TestAgentMovesItsBranch(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	p := l.open(line, "p")
	put(t, p.Dir, "mine.txt", "mine\n")
	l.landFile(line, "q", "q.txt", "q\n")
	l.gitIn(p.Dir, "reset", "-q", "--soft", "main")
	want(t, "landed", l.land(line, l.open(line, "p")).Delivered, true)
	want(t, "files", get(t, l.top, "mine.txt")+get(t, l.top, "q.txt"), "mine\nq\n")
}

// Nothing a person does to a parked worktree stops the run: work that is not merged is set aside,
// the rest is there.
func TestParkedAndLeft(t *testing.T) {
	for name, do := range map[string]func(l *lab, dir string){
		"untouched":     func(*lab, string) {},
		"index spoiled": func(l *lab, d string) { put(l.t, run2(l, d), "index", "garbage") },
		"deleted":       func(_ *lab, d string) { _ = os.RemoveAll(d) },
		"HEAD spoiled":  func(l *lab, d string) { put(l.t, run2(l, d), "HEAD", "ref: refs/heads/nowhere\n") },
		"MERGE_HEAD":    func(l *lab, d string) { put(l.t, run2(l, d), "MERGE_HEAD", "--help\nnonsense\n") },
		".git deleted":  func(_ *lab, d string) { _ = os.Remove(filepath.Join(d, ".git")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			_, conflict := l.clash(l.begin(worktree.Auto))
			do(l, conflict.Dir)
			line := l.begin(worktree.Auto)
			again := l.open(line, "p")
			want(t, "set aside", words(again.Reused, again.Kept), "false autobuild/r1/p.kept-1")
			want(t, "kept", l.git("show", "autobuild/r1/p.kept-1:README.md"), "hello from p")
			want(t, "fresh", get(t, again.Dir, "README.md"), "hello from q\n")
		})
	}
}
