package git

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Graft gives the tree, or the tree of a commit, with some of its entries replaced by the new side
// of changes. A change whose mode is 0 removes its path. Removals come first: a file may take the
// place of a directory, and the other way round.
func (d *ScratchDir) Graft(ctx context.Context, tree string, changes []Change) (string, error) {
	root, err := d.TreeOf(ctx, tree)
	if err != nil {
		return "", err
	}
	for _, removals := range []bool{true, false} {
		some := slices.Clone(changes)
		some = slices.DeleteFunc(some, func(c Change) bool { return removes(c) != removals })
		if len(some) == 0 {
			continue
		}
		if root, err = d.graft(ctx, root, some); err != nil {
			return "", err
		}
		if root == "" {
			if root, err = d.EmptyTree(ctx); err != nil {
				return "", err
			}
		}
	}
	return root, nil
}

func removes(c Change) bool { return strings.Trim(c.NewMode, "0") == "" }

// graft gives a tree with changes, whose paths are relative to it; empty: nothing is left of it. An
// empty tree is an empty id.
func (d *ScratchDir) graft(ctx context.Context, tree string, changes []Change) (string, error) {
	entries := map[string]Change{}
	if tree != "" {
		listed, err := d.objects.tree(ctx, tree)
		if err != nil {
			return "", err
		}
		for _, e := range listed {
			entries[e.Path] = e
		}
	}
	below := map[string][]Change{}
	for _, c := range changes {
		name, rest, deeper := strings.Cut(c.Path, "/")
		switch {
		case deeper:
			c.Path = rest
			below[name] = append(below[name], c)
		case !removes(c):
			entries[name] = Change{Path: name, NewMode: c.NewMode, NewID: c.NewID}
		case entries[name].NewMode != treeMode:
			delete(entries, name)
		}
	}
	for name, some := range below {
		was := entries[name]
		if was.NewMode != treeMode && removes(some[0]) {
			continue
		}
		id, err := d.graft(ctx, subtree(was), some)
		if err != nil {
			return "", err
		}
		if id == "" {
			delete(entries, name)
		} else {
			entries[name] = Change{Path: name, NewMode: treeMode, NewID: id}
		}
	}
	if len(entries) == 0 {
		return "", nil
	}
	return d.writeTree(ctx, entries)
}

// writeTree writes one tree object.
func (d *ScratchDir) writeTree(ctx context.Context, entries map[string]Change) (string, error) {
	sorted := make([]Change, 0, len(entries))
	for _, e := range entries {
		sorted = append(sorted, e)
	}
	slices.SortFunc(sorted, func(a, b Change) int { return cmp.Compare(treeKey(a), treeKey(b)) })
	var data bytes.Buffer
	for _, e := range sorted {
		id, err := hex.DecodeString(e.NewID)
		if err != nil {
			return "", fmt.Errorf("writing a tree: %w", err)
		}
		fmt.Fprintf(&data, "%s %s\x00%s", strings.TrimPrefix(e.NewMode, "0"), e.Path, id)
	}
	return d.write.write(ctx, "tree", data.Bytes())
}

// treeKey is by what git orders the entries of a tree.
func treeKey(e Change) string {
	if e.NewMode == treeMode {
		return e.Path + "/"
	}
	return e.Path
}
