package git

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
)

// TreeOf is the id of the tree of a commit, a tree or a ref.
func (d *ScratchDir) TreeOf(ctx context.Context, commit string) (string, error) {
	if known, ok := d.trees.Load(commit); ok {
		if tree, ok := known.(string); ok {
			return tree, nil
		}
	}
	tree, err := d.ask(ctx, Files{}, nil, "rev-parse", "--verify", commit+"^{tree}")
	if err == nil && isObjectName(commit) {
		d.trees.Store(commit, tree)
	}
	return tree, err
}

// SameTree reports whether two commits, trees or refs have the same content.
func (d *ScratchDir) SameTree(ctx context.Context, a, b string) (bool, error) {
	left, err := d.TreeOf(ctx, a)
	if err != nil {
		return false, err
	}
	right, err := d.TreeOf(ctx, b)
	return left == right, err
}

// CommitOf is the commit to which a revision leads.
func (d *ScratchDir) CommitOf(ctx context.Context, revision string) (string, error) {
	return d.ask(ctx, Files{}, nil, "rev-parse", "--verify", revision+"^{commit}")
}

// HasCommit reports whether a commit is among the objects.
func (d *ScratchDir) HasCommit(ctx context.Context, id string) bool {
	_, _, err := d.do(ctx, Files{}, nil, nil, "cat-file", "-e", id+"^{commit}")
	return err == nil
}

// CommitTree writes a commit object, signed where the user asks for signatures. Parents come in
// order.
func (d *ScratchDir) CommitTree(ctx context.Context, tree, message string, parents ...string) (string, error) {
	args := []string{"commit-tree", tree}
	if d.signed {
		args = append(args, "-S")
	}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	d.unsynced.Store(true)
	return d.ask(ctx, Files{}, []byte(message), append(args, "-F", "-")...)
}

// CommitUnsigned writes a commit that only serves as a step of a merge.
func (d *ScratchDir) CommitUnsigned(ctx context.Context, tree string, parents ...string) (string, error) {
	args := []string{"commit-tree", tree, "-m", "autobuild: work in progress"}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	d.unsynced.Store(true)
	return d.ask(ctx, Files{}, nil, args...)
}

// WriteBlob writes content as a blob and gives its id.
func (d *ScratchDir) WriteBlob(ctx context.Context, content []byte) (string, error) {
	return d.ask(ctx, Files{}, content, "hash-object", "-w", "--stdin")
}

// EmptyTree writes the tree without entries and gives its id.
func (d *ScratchDir) EmptyTree(ctx context.Context) (string, error) {
	return d.ask(ctx, Files{}, []byte{}, "hash-object", "-w", "-t", "tree", "--stdin")
}

// Blob reads one blob, named by its id or as TREE:PATH.
func (d *ScratchDir) Blob(ctx context.Context, id string) ([]byte, error) {
	out, _, err := d.do(ctx, Files{}, nil, nil, "cat-file", "blob", id)
	return out, err
}

// Sizes gives the sizes in bytes of those objects that are blobs, one id a line. Others, and those
// that are missing, are left out.
func (d *ScratchDir) Sizes(ctx context.Context, ids []byte) (map[string]int64, error) {
	out, _, err := d.do(ctx, Files{}, ids, nil, "cat-file", "--batch-check")
	if err != nil {
		return nil, err
	}
	sizes := map[string]int64{}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) == 3 && f[1] == "blob" {
			sizes[f[0]], _ = strconv.ParseInt(f[2], 10, 64) // git prints a number
		}
	}
	return sizes, nil
}

// Blobs reads blobs in one call, one id a line. Others, and those that are missing, are left out.
func (d *ScratchDir) Blobs(ctx context.Context, ids []byte) (map[string][]byte, error) {
	out, _, err := d.do(ctx, Files{}, ids, nil, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	content := map[string][]byte{}
	for len(out) > 0 {
		head, rest, _ := bytes.Cut(out, []byte("\n"))
		f := strings.Fields(string(head))
		if len(f) != 3 {
			out = rest // "ID missing"
			continue
		}
		n, err := strconv.Atoi(f[2])
		if err != nil || n < 0 || n >= len(rest) {
			return nil, fmt.Errorf("git printed an object that cannot be read: %q", head)
		}
		if f[1] == "blob" {
			content[f[0]] = rest[:n:n]
		}
		out = rest[n+1:]
	}
	return content, nil
}

// LsTree lists every file of a tree or commit, sorted by path: its new side.
func (d *ScratchDir) LsTree(ctx context.Context, tree string) ([]Change, error) {
	return d.lsTree(ctx, "-r", "--full-tree", tree)
}

// Entry gives the entry of one path of a tree or commit; ok is false where it has none.
func (d *ScratchDir) Entry(ctx context.Context, tree, path string) (entry Change, ok bool, err error) {
	found, err := d.lsTree(ctx, tree, "--", path)
	if err != nil || len(found) == 0 {
		return Change{}, false, err
	}
	return found[0], true, nil
}

func (d *ScratchDir) lsTree(ctx context.Context, args ...string) ([]Change, error) {
	out, _, err := d.do(ctx, Files{}, nil, nil, append([]string{"ls-tree", "-z"}, args...)...)
	if err != nil {
		return nil, err
	}
	entries := make([]Change, 0, 64)
	for _, line := range SplitNUL(out) {
		info, path, ok := strings.Cut(line, "\t")
		f := strings.Fields(info)
		if !ok || len(f) != 3 {
			return nil, fmt.Errorf("git printed a tree that cannot be read: %q", line)
		}
		entries = append(entries, Change{Path: path, NewMode: f[0], NewID: f[2]})
	}
	return entries, nil
}

// Graft gives the tree with some of its entries replaced by the new side of changes.
func (d *ScratchDir) Graft(ctx context.Context, tree string, changes []Change) (string, error) {
	o := Files{Index: d.IndexFile("graft")}
	if err := d.ReadTree(ctx, o, tree); err != nil {
		return "", err
	}
	if err := d.UpdateIndex(ctx, o, changes); err != nil {
		return "", err
	}
	return d.WriteTree(ctx, o)
}

// Grep lists the files of a tree or commit in which git grep finds something. Patterns are options
// of git grep. Without paths it looks at all files.
func (d *ScratchDir) Grep(ctx context.Context, tree string, patterns, paths []string) ([]string, error) {
	args := append(append([]string{"grep", "-l", "-z"}, patterns...), tree, "--")
	out, _, err := d.do(ctx, Files{}, nil, []int{1}, append(args, paths...)...)
	if err != nil {
		return nil, err
	}
	names := SplitNUL(out)
	for i, name := range names {
		names[i] = strings.TrimPrefix(name, tree+":")
	}
	return names, nil
}

// Holds reports whether git grep finds anything in the files of a tree or commit. It ends at the
// first hit. Arguments are as for Grep.
func (d *ScratchDir) Holds(ctx context.Context, tree string, patterns []string, paths ...string) (bool, error) {
	args := append(append([]string{"grep", "-q"}, patterns...), tree, "--")
	_, code, err := d.do(ctx, Files{}, nil, []int{1}, append(args, paths...)...)
	return err == nil && code == 0, err
}
