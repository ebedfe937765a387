package git

import (
	"context"
	"slices"
	"strings"
)

// TreeOf is the id of the tree of a commit, a tree or a ref.
func (d *ScratchDir) TreeOf(ctx context.Context, commit string) (string, error) {
	if known, ok := d.trees.Load(commit); ok {
		if tree, ok := known.(string); ok {
			return tree, nil
		}
	}
	found, err := d.objects.read(ctx, []string{commit + "^{tree}"}, false)
	if err != nil {
		return "", err
	}
	tree := found[0].id
	if tree == "" {
		return "", notFound("tree", commit)
	}
	if commitID(commit) != "" {
		d.trees.Store(commit, tree)
	}
	return tree, nil
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
	found, err := d.objects.read(ctx, []string{id + "^{commit}"}, false)
	return err == nil && found[0].id != ""
}

// CommitTree writes a commit object, signed where the user asks for signatures. Parents come in
// order.
func (d *ScratchDir) CommitTree(
	ctx context.Context, tree, message string, parents ...string,
) (string, error) {
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

// CommitUnsigned writes a commit that only serves as a step of a merge, or as HEAD of a checkout
// that the user never sees. Its author and times are those of its first parent.
func (d *ScratchDir) CommitUnsigned(
	ctx context.Context, tree string, parents ...string,
) (string, error) {
	who := parsedCommit{author: "autobuild <autobuild@localhost> 0 +0000"}
	who.committer = who.author
	tree, err := d.TreeOf(ctx, tree)
	if err == nil && len(parents) > 0 {
		who, err = d.objects.commit(ctx, parents[0])
	}
	if err != nil {
		return "", err
	}
	var text strings.Builder
	text.WriteString("tree " + tree + "\n")
	for _, p := range parents {
		text.WriteString("parent " + p + "\n")
	}
	text.WriteString("author " + who.author + "\ncommitter " + who.committer +
		"\n\nautobuild: work in progress\n")
	d.unsynced.Store(true)
	return d.write.write(ctx, "commit", []byte(text.String()))
}

// WriteBlob writes content as a blob and gives its id.
func (d *ScratchDir) WriteBlob(ctx context.Context, content []byte) (string, error) {
	return d.write.write(ctx, "blob", content)
}

// EmptyTree writes the tree without entries and gives its id.
func (d *ScratchDir) EmptyTree(ctx context.Context) (string, error) {
	return d.write.write(ctx, "tree", nil)
}

// Blob reads one blob, named by its id or as TREE:PATH.
func (d *ScratchDir) Blob(ctx context.Context, id string) ([]byte, error) {
	o, err := d.objects.one(ctx, id, "blob")
	return o.data, err
}

// Sizes gives the sizes in bytes of those objects that are blobs. Others, and those that are
// missing, are left out.
func (d *ScratchDir) Sizes(ctx context.Context, ids []string) (map[string]int64, error) {
	found, err := d.objects.read(ctx, ids, false)
	sizes := make(map[string]int64, len(found))
	for _, o := range found {
		if o.kind == "blob" {
			sizes[o.id] = o.size
		}
	}
	return sizes, err
}

// Blobs reads blobs in one request. Others, and those that are missing, are left out.
func (d *ScratchDir) Blobs(ctx context.Context, ids []string) (map[string][]byte, error) {
	found, err := d.objects.read(ctx, ids, true)
	content := make(map[string][]byte, len(found))
	for _, o := range found {
		if o.kind == "blob" {
			content[o.id] = o.data
		}
	}
	return content, err
}

// LsTree lists every file of a tree or commit, sorted by path: its new side.
func (d *ScratchDir) LsTree(ctx context.Context, tree string) ([]Change, error) {
	root, err := d.TreeOf(ctx, tree)
	if err != nil {
		return nil, err
	}
	files, err := d.objects.walkTree(ctx, root)
	slices.SortFunc(files, byPath)
	return files, err
}

// Entry gives the entry of one path of a tree or commit; ok is false where it has none.
func (d *ScratchDir) Entry(
	ctx context.Context, tree, path string,
) (entry Change, ok bool, err error) {
	id, err := d.TreeOf(ctx, tree)
	if err != nil {
		return Change{}, false, err
	}
	names := strings.Split(path, "/")
	for i, name := range names {
		entries, err := d.objects.tree(ctx, id)
		if err != nil {
			return Change{}, false, err
		}
		at := slices.IndexFunc(entries, func(e Change) bool { return e.Path == name })
		if at < 0 || i < len(names)-1 && entries[at].NewMode != treeMode {
			return Change{}, false, nil
		}
		entry, id = entries[at], entries[at].NewID
	}
	entry.Path = path
	return entry, true, nil
}

// Grep lists the files of a tree or commit in which git grep finds something. Patterns are options
// of git grep. Without paths it looks at all files.
func (d *ScratchDir) Grep(
	ctx context.Context, tree string, patterns, paths []string,
) ([]string, error) {
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
func (d *ScratchDir) Holds(
	ctx context.Context, tree string, patterns []string, paths ...string,
) (bool, error) {
	args := append(append([]string{"grep", "-q"}, patterns...), tree, "--")
	_, code, err := d.do(ctx, Files{}, nil, []int{1}, append(args, paths...)...)
	return err == nil && code == 0, err
}
