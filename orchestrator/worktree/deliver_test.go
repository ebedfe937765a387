package worktree_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autobuild/orchestrator/worktree"
	"autobuild/orchestrator/worktree/delivery"
)

// The user's staged, changed and untracked files elsewhere are the same, byte for byte, after a
// delivery in every mode.
func TestDirtyCheckoutIsLeftAlone(t *testing.T) {
	for _, mode := range []string{worktree.Auto, worktree.Single, worktree.MessageOnly} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.write("README.md", "staged\n")
			l.git("add", "README.md")
			l.write("README.md", "staged, then changed\n")
			l.write("lines.txt", "changed\n")
			l.write("new.txt", "staged new\n")
			l.git("add", "new.txt")
			l.write("untracked.txt", "untracked\n")
			staged := l.git("diff", "--cached", "--binary")
			line := l.begin(mode)
			tree := l.open(line, "p")
			put(t, tree.Dir, "work.txt", "work\n")
			landed := l.land(line, tree)
			want(t, "delivered", landed.Delivered, mode != worktree.Single)
			want(t, "why", landed.Undelivered, delivery.Obstacle{})
			d, err := line.Finish(t.Context(), "all of it")
			want(t, "finish", words(d.Delivered, d.Why, err), "true  <nil>")
			want(t, "work", get(t, l.top, "work.txt"), "work\n")
			want(t, "staged", l.git("diff", "--cached", "--binary"), staged)
			want(t, "files", get(t, l.top, "README.md")+get(t, l.top, "lines.txt")+get(t, l.top, "untracked.txt"), "staged, then changed\nchanged\nuntracked\n")
			count := map[string]string{worktree.Auto: "2", worktree.Single: "2", worktree.MessageOnly: "1"}[mode]
			want(t, "commits", l.git("rev-list", "--count", "HEAD"), count)
			want(t, "branches", l.git("for-each-ref", "--format=%(refname)", "refs/heads"), "refs/heads/main")
		})
	}
}

// Where the user's changes lie in the way, nothing is touched and the reason is given; once they
// are out of the way, the work arrives.
func TestDeliveryWaits(t *testing.T) {
	for _, c := range []struct {
		name, why  string
		block      func(l *lab)
		unblock    func(l *lab)
		messageToo bool
	}{
		{
			"changed", "changed README.md",
			func(l *lab) { l.write("README.md", "mine\n") }, func(l *lab) { l.git("checkout", "-q", "README.md") }, true,
		},
		{
			"staged", "changed README.md",
			func(l *lab) { l.write("README.md", "mine\n"); l.git("add", "README.md") }, func(l *lab) { l.git("reset", "-q", "--hard") }, true,
		},
		{
			"deleted", "deleted README.md",
			func(l *lab) { _ = os.Remove(filepath.Join(l.top, "README.md")) }, func(l *lab) { l.git("checkout", "-q", "README.md") }, true,
		},
		{
			"untracked in the way", "untracked new.txt",
			func(l *lab) { l.write("new.txt", "mine\n") }, func(l *lab) { _ = os.Remove(filepath.Join(l.top, "new.txt")) }, true,
		},
		{
			"switched", "other_branch elsewhere main",
			func(l *lab) { l.git("checkout", "-q", "-b", "elsewhere") }, func(l *lab) { l.git("checkout", "-q", "main") }, true,
		},
		{
			"index.lock", "locked TOP/.git/index.lock",
			func(l *lab) { l.write(".git/index.lock", "") }, func(l *lab) { _ = os.Remove(filepath.Join(l.top, ".git/index.lock")) }, false,
		},
		{
			"HEAD.lock", "locked TOP/.git/HEAD.lock",
			func(l *lab) { l.write(".git/HEAD.lock", "") }, func(l *lab) { _ = os.Remove(filepath.Join(l.top, ".git/HEAD.lock")) }, false,
		},
		{
			"the branch's lock", "locked TOP/.git/refs/heads/main.lock",
			func(l *lab) { l.write(".git/refs/heads/main.lock", "") }, func(l *lab) { _ = os.Remove(filepath.Join(l.top, ".git/refs/heads/main.lock")) }, false,
		},
	} {
		for _, mode := range []string{worktree.Auto, worktree.MessageOnly} {
			if mode == worktree.MessageOnly && !c.messageToo {
				continue
			}
			t.Run(c.name+" "+mode, func(t *testing.T) {
				t.Parallel()
				l := newLab(t)
				why := strings.ReplaceAll(c.why, "TOP", l.top)
				line := l.begin(mode)
				tree := l.open(line, "p")
				put(t, tree.Dir, "README.md", "theirs\n")
				put(t, tree.Dir, "new.txt", "theirs\n")
				c.block(l)
				files := snapshot(t, l.top)
				landed := l.land(line, tree)
				want(t, "undelivered", words(landed.Delivered, landed.Undelivered), "false "+why)
				want(t, "untouched", snapshot(t, l.top), files)
				d := ok1(t, first(line.Deliver(t.Context())), nil)
				merge := map[string]string{worktree.Auto: "git merge autobuild/r1/integration", worktree.MessageOnly: "git diff-tree -p --binary refs/autobuild/r1/delivered autobuild/r1/integration | git apply"}[mode]
				want(t, "the way out", words(d.Delivered, d.Why, "|", d.Merge), "false "+why+" | "+merge)
				c.unblock(l)
				if mode == worktree.MessageOnly {
					paste := exec.Command("sh", "-c", d.Merge)
					paste.Dir, paste.Env = l.top, l.environ
					out, err := paste.CombinedOutput()
					want(t, "paste", string(out), "")
					want(t, "paste", err, nil)
					want(t, "pasted", get(t, l.top, "README.md")+get(t, l.top, "new.txt"), "theirs\ntheirs\n")
				}
				next := l.open(line, "q")
				put(t, next.Dir, "q.txt", "q")
				want(t, "arrives with the next", l.land(line, next).Delivered, true)
				want(t, "work", get(t, l.top, "README.md")+get(t, l.top, "new.txt"), "theirs\ntheirs\n")
			})
		}
	}
}

// snapshot renders the checkout's own files.
func snapshot(t testing.TB, top string) string {
	t.Helper()
	var b strings.Builder
	entries, err := os.ReadDir(top)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			fmt.Fprintf(&b, "%s: %q\n", e.Name(), get(t, top, e.Name()))
		}
	}
	return b.String()
}

// The run keeps every commit that appears on the user's branch meanwhile. Only a resume merges
// them, since an agent may have made them.
func TestUserCommitsMeanwhile(t *testing.T) {
	for _, mode := range []string{worktree.Auto, worktree.Single, worktree.MessageOnly} {
		for _, resumed := range []bool{false, true} {
			t.Run(fmt.Sprint(mode, " resumed ", resumed), func(t *testing.T) {
				t.Parallel()
				l := newLab(t)
				line := l.begin(mode)
				l.landFile(line, "a", "a.txt", "a")
				tree := l.open(line, "b")
				put(t, tree.Dir, "b.txt", "b")
				l.write("user.txt", "user\n")
				l.git("add", "user.txt")
				l.git("commit", "-qm", "user")
				theirs := l.git("rev-parse", "HEAD")
				if resumed {
					line = l.begin(mode)
					tree = l.open(line, "b")
					want(t, "taken in", get(t, tree.Dir, "user.txt"), "user\n")
				}
				landed := l.land(line, tree)
				want(t, "delivered", landed.Delivered, resumed && mode != worktree.Single)
				if !resumed {
					d, err := line.Finish(t.Context(), "all")
					want(t, "finish", words(d.Delivered, d.Why, err), "false other_commit main "+theirs[:12]+" <nil>")
					want(t, "theirs", l.own("ls-tree", "--name-only", "autobuild/r1/integration", "user.txt"), "")
					line = l.begin(mode)
				}
				d, err := line.Finish(t.Context(), "all")
				want(t, "finish", words(d.Delivered, d.Why, err), "true  <nil>")
				want(t, "files", get(t, l.top, "a.txt")+get(t, l.top, "b.txt")+get(t, l.top, "user.txt"), "abuser\n")
				l.git("merge-base", "--is-ancestor", theirs, "HEAD")
				if mode == worktree.MessageOnly {
					want(t, "history", l.git("rev-parse", "HEAD"), theirs)
				} else {
					want(t, "status", l.status(), "")
				}
				again := l.begin(mode)
				all := ok1(t, first(again.Landed(t.Context())), nil)
				want(t, "landed", len(all), 2)
			})
		}
	}
}

func (l *lab) landFile(line *worktree.Line, phase, name, data string) outcome {
	l.t.Helper()
	tree := l.open(line, phase)
	put(l.t, tree.Dir, name, data)
	landed := l.land(line, tree)
	if err := line.Done(l.t.Context(), tree); err != nil {
		l.t.Fatal(err)
	}
	return landed
}

// The user may amend what was delivered, merge the line by hand, or move the branch back; no
// landing is lost or doubled.
func TestUserRewrites(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	l.landFile(line, "a", "a.txt", "a\n")
	l.write("a.txt", "a, amended\n")
	l.git("commit", "-q", "-a", "--amend", "--no-edit")
	line = l.begin(worktree.Auto)
	want(t, "amended", get(t, l.open(line, "b").Dir, "a.txt"), "a, amended\n")
	l.landFile(line, "b", "b.txt", "b\n")
	want(t, "kept", get(t, l.top, "a.txt"), "a, amended\n")

	l.git("checkout", "-q", "-b", "aside")
	want(t, "stays", l.landFile(line, "c", "c.txt", "c\n").Delivered, false)
	l.git("checkout", "-q", "main")
	l.write("own.txt", "own\n")
	l.git("add", "own.txt")
	l.git("commit", "-qm", "own")
	l.git("merge", "-q", "--no-edit", "autobuild/r1/integration")
	line = l.begin(worktree.Auto)
	want(t, "merged by hand", words(len(ok1(t, first(line.Landed(t.Context())), nil)), line.Notes), "3 []")
	want(t, "goes on", l.landFile(line, "d", "d.txt", "d\n").Delivered, true)

	l.git("reset", "-q", "--hard", "HEAD~1")
	back := l.git("rev-parse", "HEAD")
	line = l.begin(worktree.Auto)
	landed := l.landFile(line, "e", "e.txt", "e\n")
	want(t, "moved back", words(landed.Delivered, landed.Undelivered), "false other_commit main "+back[:12])
	want(t, "left there", l.git("rev-parse", "HEAD"), back)
	l.own("cat-file", "-e", "autobuild/r1/integration:e.txt")
}

// The user's edits in the plan and the marks of the run both stay, also when the marks were made by
// an earlier process.
func TestPlanWithEdits(t *testing.T) {
	for _, mode := range []string{worktree.Auto, worktree.Single, worktree.MessageOnly} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			line := l.begin(mode)
			l.write("plan.md", strings.Replace(get(t, l.top, "plan.md"), "notes", "my notes", 1))
			tree := l.open(line, "1")
			put(t, tree.Dir, "a", "a")
			_, err := land(t.Context(), line, tree, worktree.Landing{Mark: tick("1")})
			want(t, "landed", err, nil)
			l.git("stash", "list")
			line = l.begin(mode)
			tree = l.open(line, "2")
			put(t, tree.Dir, "b", "b")
			_, err = land(t.Context(), line, tree, worktree.Landing{Mark: tick("2")})
			want(t, "landed", err, nil)
			d, err := line.Finish(t.Context(), "all")
			want(t, "finish", words(d.Delivered, d.Why, err), "true  <nil>")
			want(t, "plan", get(t, l.top, "plan.md"), "| 1 | ✅ |\n| 2 | ✅ |\n\n\n\nmy notes\n")
			if mode != worktree.MessageOnly {
				want(t, "committed", l.git("show", "HEAD:plan.md"), "| 1 | ✅ |\n| 2 | ✅ |\n\n\n\nnotes")
				want(t, "status", l.status(), " M plan.md")
			}
		})
	}
}

// The user edits the very line that the run marks: the work arrives all the same, and their words
// stay.
func TestPlanEditedWhereItIsMarked(t *testing.T) {
	for _, mode := range []string{worktree.Auto, worktree.Single, worktree.MessageOnly} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.write("plan.md", strings.Replace(get(t, l.top, "plan.md"), "| 1 | ⬜ |", "| 1 | ⬜ | mine |", 1))
			line := l.begin(mode)
			tree := l.open(line, "1")
			put(t, tree.Dir, "a", "a")
			_, err := land(t.Context(), line, tree, worktree.Landing{Mark: tick("1")})
			want(t, "landed", err, nil)
			line = l.begin(mode)
			d, err := line.Finish(t.Context(), "all")
			want(t, "finish", words(d.Delivered, d.Why, err), "true  <nil>")
			want(t, "plan", get(t, l.top, "plan.md"), "| 1 | ✅ | mine |\n| 2 | ⬜ |\n\n\n\nnotes\n")
			want(t, "file", get(t, l.top, "a"), "a")
		})
	}
}

// The process died when the files of a phase had arrived and no ref recorded it: these files are
// the run's, not the user's.
func TestDeathInDelivery(t *testing.T) {
	for _, mode := range []string{worktree.Auto, worktree.MessageOnly} {
		for _, index := range []string{"written", "old"} {
			t.Run(mode+" "+index, func(t *testing.T) {
				t.Parallel()
				l := newLab(t)
				base := l.git("rev-parse", "HEAD")
				line := l.begin(mode)
				desk := filepath.Join(l.top, ".autobuild", "git", "indexes")
				before, err := os.ReadFile(filepath.Join(l.top, ".git", "index"))
				want(t, "index", err, nil)
				tree := l.open(line, "1")
				put(t, tree.Dir, "a", "a")
				_, err = land(t.Context(), line, tree, worktree.Landing{Mark: tick("1")})
				want(t, "landed", err, nil)
				tip := l.own("rev-parse", "autobuild/r1/integration")
				l.git("update-ref", "refs/heads/main", base)
				l.own("update-ref", "refs/autobuild/r1/head", base)
				l.own("update-ref", "refs/autobuild/r1/delivered", base)
				l.own("update-ref", "refs/autobuild/r1/delivering", tip)
				if mode == worktree.MessageOnly {
					want(t, "index", os.Rename(filepath.Join(desk, "checkout@"+tip), filepath.Join(desk, "checkout@"+base)), nil)
					if index == "old" {
						want(t, "index", os.Remove(filepath.Join(desk, "checkout@"+base)), nil)
					}
				} else if index == "old" {
					want(t, "index", os.WriteFile(filepath.Join(l.top, ".git", "index"), before, 0o600), nil)
				}

				line = l.begin(mode)
				tree = l.open(line, "2")
				put(t, tree.Dir, "b", "b")
				landed, err := land(t.Context(), line, tree, worktree.Landing{Mark: tick("2")})
				want(t, "landed", words(landed.Delivered, landed.Undelivered, err), "true  <nil>")
				want(t, "plan", get(t, l.top, "plan.md"), "| 1 | ✅ |\n| 2 | ✅ |\n\n\n\nnotes\n")
				want(t, "files", get(t, l.top, "a")+get(t, l.top, "b"), "ab")
				if mode == worktree.Auto {
					want(t, "status", l.status(), "")
				}
			})
		}
	}
}

// A start that finds nothing to do leaves no branch behind; neither does a run that was killed
// before its first phase.
func TestNoStrayBranches(t *testing.T) {
	l := newLab(t)
	ok1(t, first(l.beginAs("r0", worktree.Auto)), nil)
	line := l.begin(worktree.Auto)
	l.landFile(line, "1", "a", "a")
	d, err := line.Finish(t.Context(), "all")
	want(t, "finish", words(d.Delivered, err), "true <nil>")
	line = l.begin(worktree.Auto)
	want(t, "leave", line.Leave(t.Context()), nil)
	want(t, "branches", l.git("branch", "--format=%(refname:short)"), "main")
	line = l.begin(worktree.Auto)
	l.landFile(line, "2", "b", "b")
	want(t, "goes on", get(t, l.top, "b"), "b")
}

// commits.sh makes one commit a phase, also where two phases changed one file, from any directory,
// twice, with the user's own edits left alone; and the run can go on afterwards.
func TestScript(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.MessageOnly)
	l.landFile(line, "1.1", "lines.txt", strings.Replace(numbered(40), "line 3\n", "three\n", 1))
	l.landFile(line, "11", "odd'$(touch PWNED)\n.txt", "x")
	for _, key := range []string{"k1", "k2", "k2"} { // done again: two commits of one phase
		again := l.open(line, "again")
		put(t, again.Dir, "again.txt", key)
		_, err := land(t.Context(), line, again, worktree.Landing{Key: key, Message: "do again " + key})
		want(t, "again", err, nil)
		want(t, "done", line.Done(t.Context(), again), nil)
	}
	tree := l.open(line, "2")
	put(t, tree.Dir, "lines.txt", strings.Replace(get(t, tree.Dir, "lines.txt"), "line 30\n", "thirty\n", 1))
	_ = os.Remove(filepath.Join(tree.Dir, "README.md"))
	_, err := land(t.Context(), line, tree, worktree.Landing{Message: "feat: two\n\nEOF\n$(touch PWNED)\n"})
	want(t, "landed", err, nil)
	l.write("user.txt", "staged by the user\n")
	l.git("add", "user.txt")
	l.write("lines.txt", strings.Replace(get(t, l.top, "lines.txt"), "line 15\n", "user\n", 1))
	files := ok1(t, first(line.Script(t.Context())), nil)
	want(t, "files", len(files), 6)
	for _, f := range files {
		put(t, filepath.Join(l.top, ".autobuild"), f.Name, string(f.Data))
	}
	d, err := line.Finish(t.Context(), "")
	want(t, "finish", words(d.Delivered, d.Why, err), "true  <nil>")
	for range 2 {
		cmd := exec.Command("sh", filepath.Join(l.top, ".autobuild", "commits.sh"))
		cmd.Dir, cmd.Env = t.TempDir(), l.environ
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		want(t, "log", l.git("log", "--reverse", "--format=%s"), "first\ndo 1.1\ndo 11\ndo again k1\ndo again k2\nfeat: two")
		want(t, "first commit", strings.Contains(l.git("show", "HEAD~4:lines.txt"), "thirty"), false)
		want(t, "last commit", strings.Contains(l.git("show", "HEAD:lines.txt"), "user"), false)
		want(t, "status", l.status(), " M lines.txt\nA  user.txt")
		want(t, "executed", missing(l.top, "PWNED"), true)
	}
	line = l.begin(worktree.MessageOnly)
	want(t, "goes on", l.landFile(line, "3", "three.txt", "3").Delivered, true)
	want(t, "status", l.status(), " M lines.txt\nA  user.txt\n?? three.txt")
}

// A user who commits a part of the delivered files has not removed the rest.
func TestPartCommitted(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.MessageOnly)
	tree := l.open(line, "a")
	put(t, tree.Dir, "one.txt", "1")
	put(t, tree.Dir, "two.txt", "2")
	l.land(line, tree)
	l.git("add", "one.txt")
	l.git("commit", "-qm", "one")
	line = l.begin(worktree.MessageOnly)
	want(t, "delivered", words(l.landFile(line, "b", "b.txt", "b").Undelivered), "")
	want(t, "line", l.own("ls-tree", "--name-only", "autobuild/r1/integration"), "README.md\nb.txt\nlines.txt\none.txt\nplan.md\ntwo.txt")
	want(t, "status", l.status(), "?? b.txt\n?? two.txt")
}

// A commit on the user's branch that carries this run's trailers is not taken for a landing.
func TestForgedLanding(t *testing.T) {
	l := newLab(t)
	l.begin(worktree.Auto)
	l.git("commit", "-q", "--allow-empty", "-m", "mine\n\nAutobuild-Phase: p\nAutobuild-Run: r1")
	line := l.begin(worktree.Auto)
	want(t, "believed", len(ok1(t, first(line.Landed(t.Context())), nil)), 0)
	want(t, "landed", l.landFile(line, "p", "p.txt", "p").Already, false)
}

// File times that changed while the content did not are no obstacle, and a split index stays
// readable for the user's git.
func TestTouchedFilesAndSplitIndex(t *testing.T) {
	l := newLab(t)
	l.git("config", "splitIndex.maxPercentChange", "0")
	l.git("update-index", "--split-index")
	line := l.begin(worktree.Auto)
	tree := l.open(line, "p")
	put(t, tree.Dir, "README.md", "changed\n")
	if err := os.Chtimes(filepath.Join(l.top, "README.md"), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	want(t, "delivered", words(l.land(line, tree).Undelivered), "")
	want(t, "status", l.status(), "")
}
