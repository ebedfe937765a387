package git_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"autobuild/orchestrator/git"
	"autobuild/orchestrator/git/gittest"
)

// A directory outside of all repositories has none, and that is an error of its own.
func TestFindNothing(t *testing.T) {
	l := gittest.New(t, nil)
	if _, err := git.Find(t.Context(), l.Run, l.Environ, t.TempDir()); !errors.Is(err, git.ErrNoRepository) {
		t.Errorf("got %v", err)
	}
}

// Configuration that changes after the scratch directory was opened has no effect in it. Its own
// files are put back before the next call.
func TestScratchDirIsPinned(t *testing.T) {
	l := gittest.New(t, nil)
	repo, scratch := open(t, l)
	planted := filepath.Join(t.TempDir(), "planted")
	l.Git("config", "filter.evil.clean", "touch "+planted)
	l.Write(".git/info/attributes", "* filter=evil\n")
	gittest.Put(t, scratch.Dir, "info/attributes", "* filter=evil\n")
	gittest.Put(t, scratch.Dir, "config", "[filter \"evil\"]\n\tclean = touch "+planted+"\n")
	gittest.Put(t, scratch.Dir, "commondir", "elsewhere\n")
	l.Write("new.txt", "new\n")
	o := git.Files{WorkTree: l.Top, Index: scratch.IndexFile("test")}
	if err := errors.Join(scratch.ReadTree(t.Context(), o, repo.Head), scratch.Stage(t.Context(), o, []string{"new.txt"})); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(planted); !os.IsNotExist(err) {
		t.Error("a program ran that was configured later")
	}
	found := scratch.Breaches()
	for _, name := range []string{"config was changed", "attributes was changed", "commondir was made"} {
		if !slices.ContainsFunc(found, func(b string) bool { return strings.Contains(b, name) }) {
			t.Errorf("%q is not among %q", name, found)
		}
	}
	if left := scratch.Breaches(); len(left) > 0 {
		t.Errorf("reported twice: %q", left)
	}
}

// The index takes files as they are: changed, new, deleted, and replaced by a link.
func TestStage(t *testing.T) {
	l := gittest.New(t, map[string]string{"keep": "x", "gone": "x", "dir/file": "x", ".gitignore": "ignored\n"})
	repo, scratch := open(t, l)
	ctx := t.Context()
	o := git.Files{WorkTree: l.Top, Index: scratch.IndexFile("test")}
	if err := scratch.ReadTree(ctx, o, repo.Head); err != nil {
		t.Fatal(err)
	}
	l.Write("keep", "changed")
	l.Write("new", "new")
	l.Write("ignored", "x")
	if err := errors.Join(os.Remove(filepath.Join(l.Top, "gone")), os.RemoveAll(filepath.Join(l.Top, "dir")),
		os.Symlink("keep", filepath.Join(l.Top, "dir"))); err != nil {
		t.Fatal(err)
	}
	paths, _, err := scratch.Differing(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(paths)
	if err = scratch.Stage(ctx, o, slices.Compact(paths)); err != nil {
		t.Fatal(err)
	}
	tree, err := scratch.WriteTree(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := scratch.DiffTree(ctx, repo.Head, tree)
	var got []string
	for _, c := range changes {
		got = append(got, string(c.Status)+" "+c.Path)
	}
	if want := []string{"A dir", "D dir/file", "D gone", "M keep", "A new"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q %v, want %q", got, err, want)
	}
	ignored, err := scratch.Ignored(ctx, o, []string{"ignored", "new", "dir/behind"})
	if err != nil || len(ignored) != 1 || !ignored["ignored"] {
		t.Errorf("ignored: %v %v", ignored, err)
	}
}

// Two commits merge without a file being touched; each conflict is named with its kind.
func TestMergeTree(t *testing.T) {
	l := gittest.New(t, map[string]string{"a": "a\n", "b": "b\n"})
	repo, scratch := open(t, l)
	ctx := t.Context()
	commit := func(files map[string]string) string {
		t.Helper()
		var changes []git.Change
		for path, data := range files {
			id, err := scratch.WriteBlob(ctx, []byte(data))
			if err != nil {
				t.Fatal(err)
			}
			changes = append(changes, git.Change{Path: path, NewMode: "100644", NewID: id})
		}
		tree, err := scratch.Graft(ctx, repo.Head, changes)
		if err != nil {
			t.Fatal(err)
		}
		id, err := scratch.CommitUnsigned(ctx, tree, repo.Head)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	ours, theirs, against := commit(map[string]string{"a": "ours\n"}), commit(map[string]string{"b": "theirs\n"}), commit(map[string]string{"a": "other\n"})
	tree, conflicts, err := scratch.MergeTree(ctx, l.Top, ours, theirs)
	if err != nil || len(conflicts) > 0 {
		t.Fatalf("%v %v", conflicts, err)
	}
	reader, err := scratch.OpenTree(ctx, tree)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"a": "ours\n", "b": "theirs\n"} {
		if data, ok := reader.Read(path, 100); !ok || string(data) != want {
			t.Errorf("%s: %q", path, data)
		}
	}
	_, conflicts, err = scratch.MergeTree(ctx, l.Top, ours, against)
	if want := []git.Conflict{{Path: "a", Kind: "contents"}}; err != nil || !slices.Equal(conflicts, want) {
		t.Errorf("%+v %v", conflicts, err)
	}
	base, err := scratch.MergeBase(ctx, ours, theirs)
	ancestor, failed := scratch.IsAncestor(ctx, base, ours)
	if base != repo.Head || !ancestor || err != nil || failed != nil {
		t.Errorf("merge base %s %t %v %v", base, ancestor, err, failed)
	}
}

// All changes of refs happen, or none.
func TestUpdateRefs(t *testing.T) {
	l := gittest.New(t, nil)
	repo := find(t, l)
	ctx := t.Context()
	const one, two = "refs/autobuild/r1/one", "refs/autobuild/r1/two"
	if err := repo.UpdateRefs(ctx, "test", git.RefUpdate{Ref: one, New: repo.Head, Create: true}); err != nil {
		t.Fatal(err)
	}
	err := repo.UpdateRefs(ctx, "test", git.RefUpdate{Ref: two, New: repo.Head}, git.RefUpdate{Ref: one, New: repo.Head, Create: true})
	if _, is := errors.AsType[*git.ExitError](err); !is {
		t.Errorf("a ref was made twice: %v", err)
	}
	refs, err := repo.Refs(ctx, "refs/autobuild/")
	if err != nil || len(refs) != 1 || refs[one] != repo.Head {
		t.Errorf("%v %v", refs, err)
	}
	if err = repo.UpdateRefs(ctx, "test", git.RefUpdate{Ref: one, Old: repo.Head}); err != nil {
		t.Error(err)
	}
}
