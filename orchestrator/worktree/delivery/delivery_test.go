package delivery_test

import (
	"os"
	"testing"

	"autobuild/orchestrator/git"
	"autobuild/orchestrator/git/gittest"
	"autobuild/orchestrator/worktree/delivery"
)

func TestMain(m *testing.M) { os.Exit(gittest.Main(m)) }

// A commit arrives; a file of the user's in its way stops it before anything is moved.
func TestDeliver(t *testing.T) {
	t.Parallel()
	l := gittest.New(t, map[string]string{"a.txt": "one\n"})
	base := l.Git("rev-parse", "HEAD")
	l.Write("a.txt", "two\n")
	l.Write("b.txt", "new\n")
	l.Git("add", "-A")
	l.Git("commit", "-q", "-m", "work")
	commit := l.Git("rev-parse", "HEAD")
	l.Git("reset", "-q", "--hard", base)

	r := gittest.OK(git.Find(t.Context(), l.Run, l.Environ, l.Top))(t)
	scratch := gittest.OK(git.OpenScratchDir(t.Context(), r, t.TempDir(), "r1"))(t)
	gittest.Want(t, "refs", scratch.Own.UpdateRefs(t.Context(), git.RefUpdate{Ref: "refs/autobuild/r1/head", New: base},
		git.RefUpdate{Ref: "refs/autobuild/r1/delivered", New: base}), nil)
	c := delivery.Checkout{
		Repo: r, Own: scratch.Own, Scratch: scratch, Refs: "refs/autobuild/r1/", Branch: r.Branch,
		Head: base, Delivered: base,
	}
	l.Write("b.txt", "theirs\n")
	why := gittest.OK(c.Deliver(t.Context(), commit))(t)
	gittest.Want(t, "in the way", why.String(), "untracked b.txt")
	gittest.Want(t, "not moved", gittest.Words(l.Git("rev-parse", "HEAD") == base, gittest.Get(t, l.Top, "a.txt")), "true one\n")

	l.Git("clean", "-q", "-f")
	why = gittest.OK(c.Deliver(t.Context(), commit))(t)
	gittest.Want(t, "arrived", gittest.Words(why.None(), l.Git("rev-parse", "HEAD") == commit, l.Git("status", "--porcelain")), "true true ")
}
