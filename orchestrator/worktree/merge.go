package worktree

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// clash is one path that did not merge, and git's word for why.
type clash struct {
	path, kind string
}

// merge puts two commits together without touching any file: a tree, or the paths that clash. Attributes (merge=union, binary)
// are read from the files in dir.
func (d *desk) merge(ctx context.Context, dir, ours, theirs string) (tree string, clashes []clash, err error) {
	out, code, err := d.do(ctx, on{tree: dir}, nil, []int{1}, "merge-tree", "--write-tree", "-z", "--name-only", "--messages", ours, theirs)
	if err != nil {
		return "", nil, err
	}
	parts := strings.Split(string(out), "\x00")
	if code == 0 {
		return strings.TrimSpace(parts[0]), nil, nil
	}
	kinds := map[string]string{}
	i := 1
	for ; i < len(parts) && parts[i] != ""; i++ {
		clashes = append(clashes, clash{path: sidless(parts[i], ours, theirs)})
	}
	for i++; i < len(parts); {
		n, err := strconv.Atoi(parts[i])
		if err != nil || n < 1 || i+n+2 >= len(parts) {
			break
		}
		kind := parts[i+n+1]
		if inner, ok := strings.CutPrefix(kind, "CONFLICT ("); ok {
			for _, p := range parts[i+1 : i+n+1] {
				if p = sidless(p, ours, theirs); kinds[p] == "" { // the first word is the most exact: a binary clash is also one of contents
					kinds[p] = strings.TrimSuffix(inner, ")")
				}
			}
		}
		i += n + 3
	}
	for i := range clashes {
		clashes[i].kind = kinds[clashes[i].path]
	}
	slices.SortFunc(clashes, func(a, b clash) int { return cmp.Compare(a.path, b.path) })
	return "", slices.CompactFunc(clashes, func(a, b clash) bool { return a.path == b.path }), nil
}

// sidless is the path of the user's that git's name for one side of it stands for: where a path cannot be both, a file and a directory
// say, git lays one side beside it as PATH~COMMIT.
func sidless(path string, sides ...string) string {
	for _, side := range sides {
		if i := strings.LastIndex(path, "~"+side); i > 0 {
			return path[:i]
		}
	}
	return path
}

// change is one path that differs between two trees.
type change struct {
	path             string
	oldMode, newMode string
	oldID, newID     string
	status           byte // A, M, D, T
}

const gitlink = "160000"

// compare lists what differs between two trees or commits, sorted by path. Renames are shown as the two changes that they are.
func (d *desk) compare(ctx context.Context, from, to string) ([]change, error) {
	out, _, err := d.do(ctx, on{}, nil, nil, "diff-tree", "-r", "-z", "--no-renames", "--raw", "--no-abbrev", from, to)
	if err != nil {
		return nil, err
	}
	return parseRaw(fields(out))
}

func parseRaw(parts []string) ([]change, error) {
	var changes []change
	for i := 0; i+1 < len(parts); i += 2 {
		f := strings.Fields(strings.TrimPrefix(parts[i], ":"))
		if len(f) != 5 || f[4] == "" {
			return nil, fmt.Errorf("git printed a difference that cannot be read: %q", parts[i])
		}
		changes = append(changes, change{path: parts[i+1], oldMode: f[0], newMode: f[1], oldID: f[2], newID: f[3], status: f[4][0]})
	}
	return changes, nil
}

// indexLines renders entries for update-index: the new side of every change.
func indexLines(changes []change) []byte {
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&b, "%s %s 0\t%s\x00", c.newMode, c.newID, c.path)
	}
	return []byte(b.String())
}

// graft gives the tree with some of its entries replaced by the new side of changes.
func (d *desk) graft(ctx context.Context, tree string, changes []change) (string, error) {
	o := on{index: d.index("graft")}
	if _, _, err := d.do(ctx, o, nil, nil, "read-tree", tree); err != nil {
		return "", err
	}
	if _, _, err := d.do(ctx, o, indexLines(changes), nil, "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	return d.ask(ctx, o, nil, "write-tree")
}

// treeOf names the tree of a commit, a tree, or a ref.
func (d *desk) treeOf(ctx context.Context, commit string) (string, error) {
	if known, ok := d.trees.Load(commit); ok {
		if tree, ok := known.(string); ok {
			return tree, nil
		}
	}
	tree, err := d.ask(ctx, on{}, nil, "rev-parse", "--verify", commit+"^{tree}")
	if err == nil && len(commit) == len(tree) && objectName.MatchString(commit) {
		d.trees.Store(commit, tree)
	}
	return tree, err
}

// objectName is the full name of an object, which stands for the same content for ever.
var objectName = regexp.MustCompile(`^[0-9a-f]{40,64}$`)

func (d *desk) isAncestor(ctx context.Context, a, b string) (bool, error) {
	_, code, err := d.do(ctx, on{}, nil, []int{1}, "merge-base", "--is-ancestor", a, b)
	return err == nil && code == 0, err
}

// plain writes a commit that only serves as a step of a merge: never signed, in nobody's history.
func (d *desk) plain(ctx context.Context, tree string, parents ...string) (string, error) {
	args := []string{"commit-tree", tree, "-m", "autobuild: work in progress"}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	d.unsynced.Store(true)
	return d.ask(ctx, on{}, nil, args...)
}
