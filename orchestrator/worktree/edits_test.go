package worktree_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/orchestrator/git"
	"autobuild/orchestrator/shared"
	"autobuild/orchestrator/worktree"
)

// The difference comes with both sides of every file, with modes and links; files that are too
// large come without content.
func TestEdits(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.Auto)
	tree := l.open(line, "p")
	want(t, "nothing changed", len(ok1(t, first(line.Edits(t.Context(), tree)), nil)), 0)
	before := get(t, tree.Dir, "README.md")
	put(t, tree.Dir, "README.md", "new\n")
	put(t, tree.Dir, "a b\n.txt", "odd name")
	put(t, tree.Dir, "empty", "")
	put(t, tree.Dir, "big.bin", strings.Repeat("x", git.MaxEdit+1))
	put(t, tree.Dir, "huge.bin", strings.Repeat("x", git.MaxHead+1))
	put(t, tree.Dir, "run.sh", "#!/bin/sh\n")
	ok(t)(nil, os.Chmod(filepath.Join(tree.Dir, "run.sh"), 0o755))
	ok(t)(nil, os.Symlink("/etc/passwd", filepath.Join(tree.Dir, "link")))
	ok(t)(nil, os.Remove(filepath.Join(tree.Dir, "lines.txt")))
	byPath := map[string]git.Edit{}
	for _, e := range ok1(t, first(line.Edits(t.Context(), tree)), nil) {
		byPath[e.Path] = e
	}
	want(t, "files", len(byPath), 8)
	e := byPath["README.md"]
	want(t, "modified", words(e.OldMode, e.NewMode, string(e.Old) == before, string(e.New), e.Size), words("100644 100644 true new\n", 4))
	want(t, "created", words(byPath["a b\n.txt"].OldMode == "", string(byPath["a b\n.txt"].New)), "true odd name")
	want(t, "deleted", words(byPath["lines.txt"].NewMode == "", len(byPath["lines.txt"].Old) > 0), "true true")
	want(t, "large", words(byPath["big.bin"].Unread, byPath["big.bin"].Size, string(byPath["big.bin"].New)), words(true, git.MaxEdit+1, strings.Repeat("x", 8000)))
	want(t, "larger still", words(byPath["huge.bin"].Unread, byPath["huge.bin"].Size, len(byPath["huge.bin"].New)), words(true, git.MaxHead+1, 0))
	want(t, "modes", words(byPath["run.sh"].NewMode, byPath["link"].NewMode, string(byPath["link"].New)), "100755 120000 /etc/passwd")
}

// Where phases share a checkout, the difference is that from its commit; without git there is none.
func TestSharedEdits(t *testing.T) {
	l := newLab(t)
	r := ok1(t, first(l.find(l.top)), nil)
	s := ok1(t, first(shared.Begin(t.Context(), r, worktree.Options{RunID: "r1", StateDir: filepath.Join(l.top, ".autobuild"), Mode: worktree.Auto})), nil)
	tree := ok1(t, first(s.Open(t.Context(), "p", false)), nil)
	put(t, l.top, "README.md", "new\n")
	edits := ok1(t, first(s.Edits(t.Context(), tree)), nil)
	want(t, "edits", words(len(edits), edits[0].Path, string(edits[0].New)), "1 README.md new\n")

	bare := shared.Open(t.TempDir(), worktree.Options{})
	want(t, "without git", len(ok1(t, first(bare.Edits(t.Context(), worktree.Tree{Phase: "p"})), nil)), 0)
}
