package git_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"autobuild/orchestrator/git"
	"autobuild/orchestrator/git/gittest"
)

// The refs of a run are what git reads of them: given, moved, refused where they are elsewhere than
// expected, and removed.
func TestOwnRefs(t *testing.T) {
	l := gittest.New(t, map[string]string{"a": "1"})
	repo, scratch := open(t, l)
	ctx, own := t.Context(), scratch.Own
	second := l.Git("commit-tree", "-m", "second", "-p", repo.Head, "HEAD^{tree}")
	one, two := "refs/heads/autobuild/r1/one", "refs/autobuild/r1/from/two"
	names := func() string {
		refs := gittest.OK(own.Refs(ctx, "refs/heads/autobuild/", "refs/autobuild/"))(t)
		seen := l.Own("for-each-ref", "--format=%(refname) %(objectname)")
		for ref, id := range refs {
			gittest.Want(t, "as git reads it", strings.Contains(seen, ref+" "+id), true)
		}
		return strings.Join(slices.Sorted(maps.Keys(refs)), " ")
	}
	gittest.Want(t, "given", own.UpdateRefs(ctx, git.RefUpdate{Ref: one, New: repo.Head, Create: true}, git.RefUpdate{Ref: two, New: repo.Head}), nil)
	gittest.Want(t, "both", names(), two+" "+one)

	for _, wrong := range []git.RefUpdate{{Ref: one, New: second, Create: true}, {Ref: one, New: second, Old: second}, {Ref: one, Old: second}} {
		if err := own.UpdateRefs(ctx, git.RefUpdate{Ref: two, New: second}, wrong); err == nil {
			t.Errorf("%+v was made", wrong)
		}
	}
	refs := gittest.OK(own.RefsNamed(ctx, one, two, "refs/heads/none"))(t)
	gittest.Want(t, "nothing moved", gittest.Words(refs[one] == repo.Head, refs[two] == repo.Head, len(refs)), "true true 2")

	gittest.Want(t, "moved", own.UpdateRefs(ctx, git.RefUpdate{Ref: one, New: second, Old: repo.Head}, git.RefUpdate{Ref: two}), nil)
	gittest.Want(t, "later", own.WriteLater(git.RefUpdate{Ref: "refs/autobuild/r1/head", New: second}), nil)
	gittest.Want(t, "one is left, and one came", names(), "refs/autobuild/r1/head "+one)
	gittest.Want(t, "flushed", own.Flush(), nil)

	gittest.Put(t, scratch.Dir, one, "") // as a power cut leaves it
	gittest.Want(t, "without a value", names(), "refs/autobuild/r1/head")
	gittest.Want(t, "given anew", own.UpdateRefs(ctx, git.RefUpdate{Ref: one, New: second, Create: true}), nil)
	left, err := filepath.Glob(filepath.Join(scratch.Dir, "refs", "*", "*", "*", ".autobuild-*"))
	gittest.Want(t, "no halves", gittest.Words(len(left), err), "0 <nil>")

	if err := os.RemoveAll(scratch.Dir); err != nil {
		t.Fatal(err)
	}
	if err := own.UpdateRefs(ctx, git.RefUpdate{Ref: one, New: repo.Head}); err == nil {
		t.Error("a repository that is gone was made anew")
	}
}

// All objects of a run reach the user's repository. A forged object of a clone does not reach the
// run's.
func TestObjectsTravel(t *testing.T) {
	l := gittest.New(t, map[string]string{"a": "1"})
	repo, scratch := open(t, l)
	ctx := t.Context()
	blob := gittest.OK(scratch.WriteBlob(ctx, []byte("made\n")))(t)
	tree := gittest.OK(scratch.Graft(ctx, repo.Head, []git.Change{{Path: "made", NewMode: "100644", NewID: blob}}))(t)
	commit := gittest.OK(scratch.CommitTree(ctx, tree, "made", repo.Head))(t)
	gittest.Want(t, "exported", scratch.Export(ctx, repo, commit, repo.Head), nil)
	if err := os.Rename(scratch.Dir, scratch.Dir+".away"); err != nil {
		t.Fatal(err)
	}
	gittest.Want(t, "whole without the run's", l.Git("show", commit+":made"), "made")
	if err := os.Rename(scratch.Dir+".away", scratch.Dir); err != nil {
		t.Fatal(err)
	}

	clone := filepath.Join(t.TempDir(), "clone")
	l.Git("clone", "-q", l.Top, clone)
	gittest.Put(t, clone, "b", "good\n")
	l.GitIn(clone, "add", "b")
	l.GitIn(clone, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "-m", "theirs")
	theirs, good := l.GitIn(clone, "rev-parse", "HEAD"), l.GitIn(clone, "rev-parse", "HEAD:b")
	gittest.Put(t, clone, "evil", "evil\n")
	evil := l.GitIn(clone, "hash-object", "-w", "evil")
	loose := func(id string) string { return filepath.Join(clone, ".git", "objects", id[:2], id[2:]) }
	data, err := os.ReadFile(loose(evil))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(loose(good), 0o600); err != nil {
		t.Fatal(err)
	}
	gittest.Put(t, filepath.Dir(loose(good)), good[2:], string(data))
	_ = scratch.Import(ctx, filepath.Join(clone, ".git"), theirs, true, repo.Head) // git may refuse it, or give it its own name
	if text, err := scratch.Blob(ctx, good); err == nil {
		t.Errorf("the forged object arrived: %q", text)
	}
}
