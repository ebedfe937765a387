package worktree_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/orchestrator/worktree"
)

// mathBefore and mathAfter are a file of the user's before and after phase 1.
const (
	mathBefore = "package math\n\nfunc Inc(n int) int {\n\treturn n + 1\n}\n"
	mathAfter  = "package math\n\nfunc Inc(n int) int {\n\treturn add(n, 1)\n}\n\nfunc add(a, b int) int {\n\tsum := a + b\n\treturn sum\n}\n"
)

// landedFirst is a line on which phase 1 has landed, and the worktree of phase 2.
func landedFirst(t *testing.T) (*lab, *worktree.Line, worktree.Tree) {
	t.Helper()
	l := newLab(t)
	l.write("math.go", mathBefore)
	l.git("add", "-A")
	l.git("commit", "-q", "-m", "math")
	line := l.begin(worktree.Auto)
	one := l.open(line, "1")
	put(t, one.Dir, "math.go", mathAfter)
	put(t, one.Dir, "first.txt", "what the first phase found\nand wrote down\nin three lines\n")
	l.land(line, one)
	two := l.open(line, "2")
	return l, line, two
}

// After any change of HEAD by an agent, its work lands as the difference that it made, and later
// content of the base stays.
func TestRealign(t *testing.T) {
	for name, c := range map[string]struct {
		git  []string // commands, each one string
		note string
	}{
		"nothing":              {nil, ""},
		"commits of its own":   {[]string{"add -A", "commit -q -m own"}, ""},
		"another branch":       {[]string{"checkout -q -b mine", "add -A", "commit -q -m own"}, ""},
		"reset --hard":         {[]string{"reset -q --hard HEAD~1"}, "does not descend"},
		"reset --soft":         {[]string{"reset -q --soft HEAD~1"}, "does not descend"},
		"amend":                {[]string{"add -A", "commit -q --amend -m amended"}, "does not descend"},
		"checkout of main~":    {[]string{"checkout -q --detach main~1"}, "does not descend"},
		"rebase onto an older": {[]string{"add -A", "commit -q -m own", "rebase -q --onto HEAD~2 HEAD~1"}, "does not descend"},
		"orphan":               {[]string{"checkout -q --orphan new"}, "on no commit"},
		"emptied orphan":       {[]string{"checkout -q --orphan new", "rm -q -rf ."}, "on no commit"},
		"orphan with a commit": {[]string{"checkout -q --orphan new", "add -A", "commit -q -m own"}, "no history"},
	} {
		t.Run(name, func(t *testing.T) {
			l, line, tree := landedFirst(t)
			put(t, tree.Dir, "second.txt", "second\n")
			for _, args := range c.git {
				l.gitIn(tree.Dir, strings.Fields(args)...)
			}
			put(t, tree.Dir, "third.txt", "third\n")
			note, err := line.Realign(t.Context(), tree)
			if err != nil || !strings.Contains(note, c.note) || (note == "") != (c.note == "") {
				t.Fatalf("note %q, error %v; want %q", note, err, c.note)
			}
			if c.note != "" {
				want(t, "HEAD", l.gitIn(tree.Dir, "symbolic-ref", "HEAD")+" "+l.gitIn(tree.Dir, "rev-parse", "HEAD"), tree.Branch+" "+tree.Base)
			}
			l.land(line, tree)
			want(t, "math.go", get(t, l.top, "math.go"), mathAfter)
			want(t, "first.txt", get(t, l.top, "first.txt")[:8], "what the")
			want(t, "third.txt", get(t, l.top, "third.txt"), "third\n")
			if again, err := line.Realign(t.Context(), l.open(line, "3")); again != "" || err != nil {
				t.Errorf("a worktree on its base: %q, %v", again, err)
			}
		})
	}
}

// An edit of the base's lines is an edit where the content was made from the base, and a conflict
// where it was not.
func TestRealignSameLines(t *testing.T) {
	l, line, tree := landedFirst(t)
	mine := strings.Replace(mathAfter, "add(n, 1)", "add(n, one)", 1)
	put(t, tree.Dir, "math.go", mine)
	l.gitIn(tree.Dir, "commit", "-q", "-a", "--amend", "-m", "amended")
	if note, err := line.Realign(t.Context(), tree); err != nil || note == "" {
		t.Fatalf("%q, %v", note, err)
	}
	want(t, "an edit of an amended commit", get(t, tree.Dir, "math.go"), mine)

	l, line, tree = landedFirst(t)
	l.gitIn(tree.Dir, "reset", "-q", "--hard", "HEAD~1")
	mine = strings.Replace(mathBefore, "n + 1", "n + one", 1)
	put(t, tree.Dir, "math.go", mine)
	_, err := line.Realign(t.Context(), tree)
	conflict, is := errors.AsType[*worktree.ConflictError](err)
	if !is || len(conflict.Files) != 1 || conflict.Files[0].Path != "math.go" || conflict.Files[0].Other != "1" {
		t.Fatalf("%v", err)
	}
	want(t, "the work after a conflict", get(t, tree.Dir, "math.go"), mine)
	again := l.open(line, "2")
	want(t, "the new worktree", get(t, again.Dir, "math.go"), mathAfter)
	want(t, "what was set aside", l.git("show", again.Kept+":math.go")+"\n", mine)
}

// A run that was killed after the agent had moved HEAD resumes with the base's content in the
// worktree.
func TestOpenRealigns(t *testing.T) {
	for _, clean := range []bool{false, true} {
		l, _, tree := landedFirst(t)
		l.gitIn(tree.Dir, "reset", "-q", "--hard", "HEAD~1")
		put(t, tree.Dir, "second.txt", "second\n")
		again, err := l.begin(worktree.Auto).Open(t.Context(), "2", clean)
		if err != nil || again.Realigned == "" || again.Reused == clean {
			t.Fatalf("%+v, %v", again, err)
		}
		want(t, "first.txt", get(t, again.Dir, "first.txt")[:8], "what the")
		if clean {
			want(t, "kept", l.git("show", again.Kept+":second.txt"), "second")
			want(t, "kept of the base", l.git("show", again.Kept+":math.go")+"\n", mathAfter)
		}
	}
}

// Another phase's landed content that this one takes away is found; content that is edited, moved
// or the user's is not.
func TestRemoved(t *testing.T) {
	stub := "package math\n\nfunc Scale(n, by int) int {\n\tpanic(\"later\")\n}\n"
	for name, c := range map[string]struct {
		do   func(t *testing.T, dir string)
		want string
	}{
		"a file of its own": {func(t *testing.T, dir string) { put(t, dir, "own.txt", "own\n") }, ""},
		"git rm":            {func(t *testing.T, dir string) { remove(t, dir, "first.txt") }, "1 first.txt the file is deleted"},
		"the user's file":   {func(t *testing.T, dir string) { remove(t, dir, "lines.txt") }, ""},
		"an older version":  {func(t *testing.T, dir string) { put(t, dir, "math.go", mathBefore) }, "1 math.go the file is as it was before that phase"},
		"an older version and own lines": {
			func(t *testing.T, dir string) {
				put(t, dir, "math.go", mathBefore+"\nfunc Dec(n int) int {\n\treturn n - 1\n}\n")
			}, "1 math.go its lines are reverted",
		},
		"one line reverted": {
			func(t *testing.T, dir string) {
				put(t, dir, "math.go", strings.Replace(mathAfter, "add(n, 1)", "n + 1", 1))
			}, "1 math.go its lines are reverted",
		},
		"a block deleted": {
			func(t *testing.T, dir string) {
				at := strings.Index(mathAfter, "\nfunc add")
				put(t, dir, "math.go", mathAfter[:at])
			}, "1 math.go its lines are deleted",
		},
		"an edit on top": {
			func(t *testing.T, dir string) {
				put(t, dir, "math.go", strings.Replace(mathAfter, "add(n, 1)", "add(1, n)", 1))
			}, "",
		},
		"a better body": {
			func(t *testing.T, dir string) {
				put(t, dir, "math.go", strings.Replace(mathAfter, "\tsum := a + b\n\treturn sum\n", "\treturn a + b\n", 1))
			}, "",
		},
		"a block moved to another file": {
			func(t *testing.T, dir string) {
				at := strings.Index(mathAfter, "\nfunc add")
				put(t, dir, "math.go", mathAfter[:at])
				put(t, dir, "add.go", "package math\n"+mathAfter[at:])
			}, "",
		},
		"a file renamed": {
			func(t *testing.T, dir string) {
				put(t, dir, "notes/first.txt", get(t, dir, "first.txt"))
				remove(t, dir, "first.txt")
			}, "",
		},
		"a file overwritten": {
			func(t *testing.T, dir string) {
				put(t, dir, "first.txt", "entirely different words\nstand here instead\nnobody knows why\n")
			}, "1 first.txt its content is overwritten",
		},
		"a stub filled in": {
			func(t *testing.T, dir string) {
				put(t, dir, "math.go", mathAfter+strings.TrimPrefix(stub, "package math\n"))
			}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, line, tree := landedFirst(t)
			c.do(t, tree.Dir)
			found, err := line.Removed(t.Context(), tree)
			if err != nil {
				t.Fatal(err)
			}
			var all []string
			for _, r := range found {
				all = append(all, words(r.Phase, r.Path, r.How))
			}
			want(t, "removed", strings.Join(all, "; "), c.want)
		})
	}
}

// Phase 1's own second attempt may undo what its first landed.
func TestRemovedOwn(t *testing.T) {
	l, line, _ := landedFirst(t)
	tree := l.open(line, "1")
	remove(t, tree.Dir, "first.txt")
	if found, err := line.Removed(t.Context(), tree); err != nil || len(found) > 0 {
		t.Errorf("%v, %v", found, err)
	}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

// The commits between a base and the tip are listed by phase and file, the requested files first.
func TestBetween(t *testing.T) {
	l, line, tree := landedFirst(t)
	three := l.open(line, "3")
	put(t, three.Dir, "math.go", strings.Replace(mathAfter, "sum := a + b", "sum := b + a", 1))
	put(t, three.Dir, "lines.txt", numbered(41))
	l.land(line, three)
	put(t, tree.Dir, "own.txt", "own\n")
	c, err := line.Candidate(t.Context(), tree, worktree.Landing{})
	if err != nil {
		t.Fatal(err)
	}
	found, err := line.Between(t.Context(), c.Base, c.Tip, []string{"math.go"})
	if err != nil || len(found) != 2 || found[0].Path != "math.go" || found[1].Path != "lines.txt" {
		t.Fatalf("%+v, %v", found, err)
	}
	want(t, "other", found[0].Other+" "+found[0].OtherLines+" "+found[1].OtherLines, "3 8 41")
	want(t, "excerpt", found[1].Excerpt, "@@ -40 +40,2 @@ line 39\n line 40\n+line 41\n")
	if !strings.Contains(found[0].Excerpt, "-\tsum := a + b\n+\tsum := b + a\n") {
		t.Error(found[0].Excerpt)
	}
	put(t, tree.Dir, "big.txt", strings.Repeat("a long line of text\n", 1000))
	l.land(line, tree)
	found, err = line.Between(t.Context(), c.Tip, l.own("rev-parse", line.Branch), nil)
	if err != nil || len(found) != 2 || len(found[0].Excerpt) > 2048 || !strings.HasSuffix(found[0].Excerpt, "\n") {
		t.Errorf("%+v, %v", found, err)
	}
}

// Files that the base ignores are no work, also where the agent's reset took the rules away.
func TestRealignIgnored(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	one := l.open(line, "1")
	put(t, one.Dir, ".gitignore", "modules/\n")
	l.land(line, one)
	tree := l.open(line, "2")
	put(t, tree.Dir, "modules/made-by-setup.txt", "large\n")
	l.gitIn(tree.Dir, "reset", "-q", "--hard", "HEAD~1")
	put(t, tree.Dir, "second.txt", "second\n")
	if note, err := line.Realign(t.Context(), tree); err != nil || note == "" {
		t.Fatal(note, err)
	}
	changes, err := line.Changes(t.Context(), tree)
	if err != nil || words(changes.Created, changes.Modified, changes.Deleted) != "[second.txt] [] []" {
		t.Errorf("%+v, %v", changes, err)
	}
	want(t, "what setup made", get(t, tree.Dir, "modules/made-by-setup.txt"), "large\n")
}
