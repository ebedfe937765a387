package worktree_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"autobuild/orchestrator/shared"
	"autobuild/orchestrator/worktree"
)

// A file that is written beside the run is not part of any phase's work: a phase's edit of it is
// not taken. A write to it in the checkout is no breach, does not prevent a delivery, and is no
// uncommitted change.
func TestAside(t *testing.T) {
	for _, tracked := range []bool{true, false} {
		for _, mode := range []string{worktree.Auto, worktree.Single, worktree.MessageOnly} {
			l := newLab(t)
			if tracked {
				l.write("aside.json", "committed")
				l.git("add", "-A")
				l.git("commit", "-qm", "aside")
			}
			l.write("aside.json", "before")
			r := ok1(t, first(l.find(l.top)), nil)
			begin := func() *worktree.Line {
				return ok1(t, first(worktree.Begin(t.Context(), r, worktree.Options{
					RunID: "r1", StateDir: filepath.Join(r.Top, ".autobuild"), Mode: mode, Aside: filepath.Join(r.Top, "aside.json"),
				})), nil)
			}
			line := begin()
			p := l.open(line, "p")
			put(t, p.Dir, "work.txt", "x")
			put(t, p.Dir, "aside.json", "the agent's")
			l.write("aside.json", "during")
			ch := ok1(t, first(line.Changes(t.Context(), p)), nil)
			want(t, "changes", words(ch.Created, ch.Modified, ch.AsideTouched), "[work.txt] [] true")
			l.land(line, p)
			d := ok1(t, first(line.Finish(t.Context(), "all")), nil)
			want(t, "delivered", words(d.Delivered, d.Why), "true ")
			want(t, "the file", get(t, l.top, "aside.json"), "during")
			if _, err := l.tryGit(l.top, "show", "HEAD:aside.json"); (err == nil) != tracked {
				t.Errorf("mode %s: the file is in the commit: %v", mode, err == nil)
			} else if tracked {
				want(t, "in the commit", l.git("show", "HEAD:aside.json"), "committed")
			}
			want(t, "work", get(t, l.top, "work.txt"), "x")
			for _, note := range begin().Notes {
				t.Errorf("mode %s: note %q", mode, note)
			}
		}
	}
}

// Nor is it a phase's work where all share a directory.
func TestSharedAside(t *testing.T) {
	dir := t.TempDir()
	s := shared.Open(dir, worktree.Options{StateDir: filepath.Join(dir, ".autobuild"), Aside: filepath.Join(dir, "aside.json")})
	p := ok1(t, first(s.Open(t.Context(), "p", false)), nil)
	put(t, dir, "aside.json", "x")
	want(t, "empty", ok1(t, first(s.Changes(t.Context(), p)), nil).Empty(), true)

	l := newLab(t)
	r := ok1(t, first(l.find(l.top)), nil)
	s = ok1(t, first(shared.Begin(t.Context(), r, worktree.Options{
		RunID: "r1", StateDir: filepath.Join(r.Top, ".autobuild"), Mode: worktree.Auto, Aside: filepath.Join(r.Top, "aside.json"),
	})), nil)
	p = ok1(t, first(s.Open(t.Context(), "p", false)), nil)
	l.write("aside.json", "x")
	want(t, "empty", ok1(t, first(s.Changes(t.Context(), p)), nil).Empty(), true)
}

// The file that receives the program's own output grows while phases run. It is not part of any
// phase's work either, under any name.
func TestOutput(t *testing.T) {
	output := func(dir string) ([]fs.FileInfo, func()) {
		f := ok1(t, first(os.Create(filepath.Join(dir, "run.log"))), nil)
		t.Cleanup(func() { _ = f.Close() })
		return []fs.FileInfo{ok1(t, first(f.Stat()), nil)}, func() { ok1(t, first(f.WriteString("one more line\n")), nil) }
	}
	dir := t.TempDir()
	files, say := output(dir)
	s := shared.Open(dir, worktree.Options{Output: files})
	p := ok1(t, first(s.Open(t.Context(), "p", false)), nil)
	say()
	want(t, "without git, empty", ok1(t, first(s.Changes(t.Context(), p)), nil).Empty(), true)
	put(t, dir, "run.log.1", "x")
	want(t, "another file, empty", ok1(t, first(s.Changes(t.Context(), p)), nil).Empty(), false)

	l := newLab(t)
	files, say = output(l.top)
	r := ok1(t, first(l.find(l.top)), nil)
	line := ok1(t, first(worktree.Begin(t.Context(), r, worktree.Options{
		RunID: "r1", StateDir: filepath.Join(r.Top, ".autobuild"), Mode: worktree.Auto, Output: files,
	})), nil)
	want(t, "notes", words(line.Notes), "[]")
	say()
}
