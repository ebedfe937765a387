package worktree_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/orchestrator/worktree"
)

// Without git, what each phase changed is known by content, a sibling's landed files are the
// sibling's, and a file that both changed is a conflict.
func TestShared(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"a.txt", "b.txt", "gone.txt", ".git/config", ".autobuild/state"} {
		put(t, dir, f, "old")
	}
	s := worktree.OpenShared(dir, worktree.Options{StateDir: filepath.Join(dir, ".autobuild"), PlanPath: filepath.Join(dir, "plan.md")})
	p, q := ok1(t, first(s.Open(t.Context(), "p", false)), nil), ok1(t, first(s.Open(t.Context(), "q", false)), nil)
	want(t, "dir", p.Dir, dir)
	put(t, dir, "a.txt", "old") // written, not changed
	put(t, dir, "b.txt", "p's")
	put(t, dir, "new.txt", "p's")
	put(t, dir, ".autobuild/state", "new")
	_ = os.Remove(filepath.Join(dir, "gone.txt"))
	ch := ok1(t, first(s.Changes(t.Context(), p)), nil)
	want(t, "changes", words(ch.Created, ch.Modified, ch.Deleted), "[new.txt] [b.txt] [gone.txt]")
	landed, err := s.Land(t.Context(), p, worktree.Landing{})
	want(t, "landed", words(landed.Delivered, landed.Already, err), "true false <nil>")
	landed, err = s.Land(t.Context(), p, worktree.Landing{})
	want(t, "again", words(landed.Already, err), "true <nil>")
	ch = ok1(t, first(s.Changes(t.Context(), q)), nil)
	want(t, "not q's", words(ch.Empty(), ch.Beside), "true [b.txt gone.txt new.txt]")
	_, err = s.Land(t.Context(), q, worktree.Landing{})
	want(t, "nothing", errors.Is(err, worktree.ErrNoChange), true)
	put(t, dir, "b.txt", "q's")
	_, err = s.Land(t.Context(), q, worktree.Landing{})
	conflict, is := errors.AsType[*worktree.ConflictError](err)
	if !is || len(conflict.Files) != 1 || conflict.Files[0].Path != "b.txt" || conflict.Files[0].Other != "p" {
		t.Fatalf("got %v", err)
	}
	r := ok1(t, first(s.Open(t.Context(), "r", false)), nil)
	put(t, dir, "b.txt", "r's, after p")
	_, err = s.Land(t.Context(), r, worktree.Landing{})
	want(t, "one after the other", err, nil)
	want(t, "done", s.Done(t.Context(), r), nil)
}

// In a repository without isolation, auto commits a phase's files and the plan's mark and nothing
// else; single does it once, at the end.
func TestSharedCommits(t *testing.T) {
	for _, mode := range []string{worktree.Auto, worktree.Single, worktree.MessageOnly} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.write(".gitignore", "out/\n")
			l.git("add", "-A")
			l.git("commit", "-qm", "ignore")
			l.write("README.md", "the user's\n")
			l.write("staged.txt", "staged\n")
			l.git("add", "staged.txt")
			r := ok1(t, first(l.find(l.top)), nil)
			opt := worktree.Options{RunID: "r1", StateDir: filepath.Join(l.top, ".autobuild"), Mode: mode, PlanPath: filepath.Join(l.top, "plan.md")}
			s := ok1(t, first(worktree.BeginShared(t.Context(), r, opt)), nil)
			p := ok1(t, first(s.Open(t.Context(), "p", false)), nil)
			l.write("work.txt", "work\n")
			l.write("out/bin", "ignored")
			landed, err := s.Land(t.Context(), p, worktree.Landing{Message: "do p", Mark: func(b []byte) ([]byte, error) {
				return []byte(strings.Replace(string(b), "| 1 | ⬜", "| 1 | ✅", 1)), nil
			}})
			want(t, "landed", words(landed.Delivered, err), "true <nil>")
			_, err = s.Finish(t.Context(), "do all")
			want(t, "finish", err, nil)
			want(t, "plan", strings.Contains(get(t, l.top, "plan.md"), "✅"), true)
			want(t, "staged", strings.Contains(l.status(), "A  staged.txt"), true)
			if mode == worktree.MessageOnly {
				want(t, "commits", l.git("rev-list", "--count", "HEAD"), "2")
				return
			}
			subject := map[string]string{worktree.Auto: "do p", worktree.Single: "do all"}[mode]
			want(t, "files", l.git("show", "--name-only", "--format=%s", "HEAD"), subject+"\n\nplan.md\nwork.txt")
			want(t, "status", l.status(), " M README.md\nA  staged.txt")
			again := ok1(t, first(worktree.BeginShared(t.Context(), ok1(t, first(l.find(l.top)), nil), opt)), nil)
			done := ok1(t, first(again.Landed(t.Context())), nil)
			want(t, "remembered", len(done), map[string]int{worktree.Auto: 1}[mode])
			// as a session does that cannot know how the last one ended
			_, err = again.Finish(t.Context(), "do all")
			want(t, "commits", words(l.git("rev-list", "--count", "HEAD"), err), "3 <nil>")
		})
	}
}

// A file may become a directory, one that git knows and one that an earlier phase has made, and a
// directory a link.
func TestSharedFileBecomesDirectory(t *testing.T) {
	for _, mode := range []string{worktree.Auto, worktree.Single} {
		l := newLab(t)
		r := ok1(t, first(l.find(l.top)), nil)
		s := ok1(t, first(worktree.BeginShared(t.Context(), r, worktree.Options{
			RunID: "r1", StateDir: filepath.Join(l.top, ".autobuild"), Mode: mode, PlanPath: filepath.Join(l.top, "plan.md"),
		})), nil)
		p := ok1(t, first(s.Open(t.Context(), "p", false)), nil)
		l.write("made", "a file\n")
		_, err := s.Land(t.Context(), p, worktree.Landing{Phase: "p"})
		want(t, "made", err, nil)
		q := ok1(t, first(s.Open(t.Context(), "q", false)), nil)
		for _, name := range []string{"made", "README.md"} {
			want(t, "removed", os.Remove(filepath.Join(l.top, name)), nil)
			l.write(name+"/in", "deep\n")
		}
		edits, err := s.Edits(t.Context(), q)
		want(t, "looked at", words(len(edits) > 2, err), "true <nil>")
		_, err = s.Land(t.Context(), q, worktree.Landing{Phase: "q"})
		want(t, "landed", err, nil)
		last := ok1(t, first(s.Open(t.Context(), "r", false)), nil)
		want(t, "removed", os.RemoveAll(filepath.Join(l.top, "made")), nil)
		want(t, "linked", os.Symlink("README.md", filepath.Join(l.top, "made")), nil)
		_, err = s.Land(t.Context(), last, worktree.Landing{Phase: "r"})
		want(t, "landed", err, nil)
		_, err = s.Finish(t.Context(), "all")
		want(t, "finished", err, nil)
		want(t, "files", l.git("ls-tree", "-r", "--name-only", "HEAD"), "README.md/in\nlines.txt\nmade\nplan.md")
	}
}
