package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"autobuild/orchestrator/git"
)

// Put is one file to be put into a tree.
type Put struct {
	Path    string
	Mode    string // git's; empty: the file is removed
	Content []byte
	Base    bool // the entry of another tree as it is; Mode and Content are not looked at
}

// Difference gives what differs between two trees or commits with the content of both sides, sorted
// by path, without the plan.
func (l *Line) Difference(ctx context.Context, from, to string) ([]git.Edit, error) {
	edits, err := l.scratch.Edits(ctx, from, to)
	return slices.DeleteFunc(edits, func(e git.Edit) bool {
		return l.plan != "" && e.Path == l.plan
	}), err
}

// TreeOf names the content of a commit.
func (l *Line) TreeOf(ctx context.Context, commit string) (string, error) {
	return l.scratch.TreeOf(ctx, commit)
}

// Content names the content of a commit; an empty one means the line's tip. Equal names are equal
// content.
func (l *Line) Content(ctx context.Context, commit string) (string, error) {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return "", err
	}
	defer release()
	if commit == "" {
		commit = l.tip
	}
	return l.scratch.TreeOf(ctx, commit)
}

// Compose gives a tree, named by itself or a commit, with files put into it. Those marked Base come
// from the tree base, and go where that has none.
func (l *Line) Compose(ctx context.Context, tree, base string, puts []Put) (string, error) {
	if len(puts) == 0 {
		return l.scratch.TreeOf(ctx, tree)
	}
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return "", err
	}
	defer release()
	entries, err := l.entries(ctx, base, puts)
	if err != nil {
		return "", err
	}
	changes := make([]git.Change, 0, len(puts))
	for _, p := range puts {
		c := git.Change{Path: p.Path, NewMode: p.Mode}
		switch was, ok := entries[p.Path]; {
		case p.Base && ok:
			c.NewMode, c.NewID = was.NewMode, was.NewID
		case p.Base || p.Mode == "":
			c.NewMode, c.NewID = "0", strings.Repeat("0", len(tree))
		default:
			if c.NewID, err = l.scratch.WriteBlob(ctx, p.Content); err != nil {
				return "", err
			}
		}
		changes = append(changes, c)
	}
	// Removals first: a file may take a directory's place, or the other way round.
	slices.SortStableFunc(changes, func(a, b git.Change) int {
		return strings.Compare(fmt.Sprint(a.NewMode != "0"), fmt.Sprint(b.NewMode != "0"))
	})
	return l.scratch.Graft(ctx, tree, changes)
}

// entries are a tree's entries of the paths that come from it.
func (l *Line) entries(
	ctx context.Context, tree string, puts []Put,
) (map[string]git.Change, error) {
	found := map[string]git.Change{}
	if !slices.ContainsFunc(puts, func(p Put) bool { return p.Base }) {
		return found, nil
	}
	all, err := l.scratch.LsTree(ctx, tree)
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		found[e.Path] = e
	}
	return found, nil
}

// Inputs names the content of those files of a tree that are wanted: equal names are equal content.
func (l *Line) Inputs(
	ctx context.Context, tree string, wanted func(path string) bool,
) (string, error) {
	all, err := l.scratch.LsTree(ctx, tree)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, e := range all {
		if wanted(e.Path) {
			// a digest takes everything
			_, _ = fmt.Fprintf(h, "%q %s %s\n", e.Path, e.NewMode, e.NewID)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// ReadTree opens a tree or commit. It reads as long as ctx lives.
func (l *Line) ReadTree(ctx context.Context, tree string) (*git.TreeReader, error) {
	return l.scratch.OpenTree(ctx, tree)
}
