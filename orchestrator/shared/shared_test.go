package shared_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/orchestrator/git/gittest"
	"autobuild/orchestrator/shared"
	"autobuild/orchestrator/worktree"
)

// Without git, what each phase changed is known by content, a sibling's landed files are the
// sibling's, and a file that both changed is a conflict.
func TestShared(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"a.txt", "b.txt", "gone.txt", ".git/config", ".autobuild/state"} {
		gittest.Put(t, dir, f, "old")
	}
	s := shared.Open(dir, worktree.Options{StateDir: filepath.Join(dir, ".autobuild"), PlanPath: filepath.Join(dir, "plan.md")})
	p, q := gittest.OK(s.Open(t.Context(), "p", false))(t), gittest.OK(s.Open(t.Context(), "q", false))(t)
	gittest.Want(t, "dir", p.Dir, dir)
	gittest.Put(t, dir, "a.txt", "old") // written, not changed
	gittest.Put(t, dir, "b.txt", "p's")
	gittest.Put(t, dir, "new.txt", "p's")
	gittest.Put(t, dir, ".autobuild/state", "new")
	_ = os.Remove(filepath.Join(dir, "gone.txt"))
	ch := gittest.OK(s.Changes(t.Context(), p))(t)
	gittest.Want(t, "changes", gittest.Words(ch.Created, ch.Modified, ch.Deleted), "[new.txt] [b.txt] [gone.txt]")
	landed, err := s.Land(t.Context(), p, worktree.Landing{})
	gittest.Want(t, "landed", gittest.Words(landed.Already, err), "false <nil>")
	landed, err = s.Land(t.Context(), p, worktree.Landing{})
	gittest.Want(t, "again", gittest.Words(landed.Already, err), "true <nil>")
	ch = gittest.OK(s.Changes(t.Context(), q))(t)
	gittest.Want(t, "not q's", gittest.Words(ch.Empty(), ch.Beside), "true [b.txt gone.txt new.txt]")
	_, err = s.Land(t.Context(), q, worktree.Landing{})
	gittest.Want(t, "nothing", errors.Is(err, worktree.ErrNoChange), true)
	gittest.Put(t, dir, "b.txt", "q's")
	_, err = s.Land(t.Context(), q, worktree.Landing{})
	conflict, is := errors.AsType[*worktree.ConflictError](err)
	if !is || len(conflict.Files) != 1 || conflict.Files[0].Path != "b.txt" || conflict.Files[0].Other != "p" {
		t.Fatalf("got %v", err)
	}
	r := gittest.OK(s.Open(t.Context(), "r", false))(t)
	gittest.Put(t, dir, "b.txt", "r's, after p")
	_, err = s.Land(t.Context(), r, worktree.Landing{})
	gittest.Want(t, "one after the other", err, nil)
	gittest.Want(t, "done", s.Done(t.Context(), r), nil)
}

// In a repository without isolation, auto commits a phase's files and the plan's mark and nothing
// else; single does it once, at the end.
func TestSharedCommits(t *testing.T) {
	for _, mode := range []string{worktree.Auto, worktree.Single, worktree.MessageOnly} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			l := gittest.New(t, map[string]string{"lines.txt": "x\n", "plan.md": "| 1 | ⬜ |\n| 2 | ⬜ |\n"})
			l.Write(".gitignore", "out/\n")
			l.Git("add", "-A")
			l.Git("commit", "-qm", "ignore")
			l.Write("README.md", "the user's\n")
			l.Write("staged.txt", "staged\n")
			l.Git("add", "staged.txt")
			r := gittest.OK(worktree.Find(t.Context(), l.Run, l.Environ, l.Top))(t)
			opt := worktree.Options{RunID: "r1", StateDir: filepath.Join(l.Top, ".autobuild"), Mode: mode, PlanPath: filepath.Join(l.Top, "plan.md")}
			s := gittest.OK(shared.Begin(t.Context(), r, opt))(t)
			p := gittest.OK(s.Open(t.Context(), "p", false))(t)
			l.Write("work.txt", "work\n")
			l.Write("out/bin", "ignored")
			_, err := s.Land(t.Context(), p, worktree.Landing{Message: "do p", Mark: func(b []byte) ([]byte, error) {
				return []byte(strings.Replace(string(b), "| 1 | ⬜", "| 1 | ✅", 1)), nil
			}})
			gittest.Want(t, "landed", err, nil)
			_, err = s.Finish(t.Context(), "do all")
			gittest.Want(t, "finish", err, nil)
			gittest.Want(t, "plan", strings.Contains(gittest.Get(t, l.Top, "plan.md"), "✅"), true)
			gittest.Want(t, "staged", strings.Contains(l.Git("status", "--porcelain"), "A  staged.txt"), true)
			if mode == worktree.MessageOnly {
				gittest.Want(t, "commits", l.Git("rev-list", "--count", "HEAD"), "2")
				return
			}
			subject := map[string]string{worktree.Auto: "do p", worktree.Single: "do all"}[mode]
			gittest.Want(t, "files", l.Git("show", "--name-only", "--format=%s", "HEAD"), subject+"\n\nplan.md\nwork.txt")
			gittest.Want(t, "status", l.Git("status", "--porcelain"), " M README.md\nA  staged.txt")
			again := gittest.OK(shared.Begin(t.Context(), gittest.OK(worktree.Find(t.Context(), l.Run, l.Environ, l.Top))(t), opt))(t)
			done := gittest.OK(again.Landed(t.Context()))(t)
			gittest.Want(t, "remembered", len(done), map[string]int{worktree.Auto: 1}[mode])
			// as a session does that cannot know how the last one ended
			_, err = again.Finish(t.Context(), "do all")
			gittest.Want(t, "commits", gittest.Words(l.Git("rev-list", "--count", "HEAD"), err), "3 <nil>")
		})
	}
}

// A file may become a directory, one that git knows and one that an earlier phase has made, and a
// directory a link.
func TestSharedFileBecomesDirectory(t *testing.T) {
	for _, mode := range []string{worktree.Auto, worktree.Single} {
		l := gittest.New(t, map[string]string{"lines.txt": "x\n", "plan.md": "| 1 | ⬜ |\n| 2 | ⬜ |\n"})
		r := gittest.OK(worktree.Find(t.Context(), l.Run, l.Environ, l.Top))(t)
		s := gittest.OK(shared.Begin(t.Context(), r, worktree.Options{
			RunID: "r1", StateDir: filepath.Join(l.Top, ".autobuild"), Mode: mode, PlanPath: filepath.Join(l.Top, "plan.md"),
		}))(t)
		p := gittest.OK(s.Open(t.Context(), "p", false))(t)
		l.Write("made", "a file\n")
		_, err := s.Land(t.Context(), p, worktree.Landing{Phase: "p"})
		gittest.Want(t, "made", err, nil)
		q := gittest.OK(s.Open(t.Context(), "q", false))(t)
		for _, name := range []string{"made", "README.md"} {
			gittest.Want(t, "removed", os.Remove(filepath.Join(l.Top, name)), nil)
			l.Write(name+"/in", "deep\n")
		}
		edits, err := s.Edits(t.Context(), q)
		gittest.Want(t, "looked at", gittest.Words(len(edits) > 2, err), "true <nil>")
		_, err = s.Land(t.Context(), q, worktree.Landing{Phase: "q"})
		gittest.Want(t, "landed", err, nil)
		last := gittest.OK(s.Open(t.Context(), "r", false))(t)
		gittest.Want(t, "removed", os.RemoveAll(filepath.Join(l.Top, "made")), nil)
		gittest.Want(t, "linked", os.Symlink("README.md", filepath.Join(l.Top, "made")), nil)
		_, err = s.Land(t.Context(), last, worktree.Landing{Phase: "r"})
		gittest.Want(t, "landed", err, nil)
		_, err = s.Finish(t.Context(), "all")
		gittest.Want(t, "finished", err, nil)
		gittest.Want(t, "files", l.Git("ls-tree", "-r", "--name-only", "HEAD"), "README.md/in\nlines.txt\nmade\nplan.md")
	}
}
