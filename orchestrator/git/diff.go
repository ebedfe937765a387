package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// DiffTree lists what differs between two trees or commits, sorted by path. A rename is shown as a
// deletion and an addition.
func (d *ScratchDir) DiffTree(ctx context.Context, from, to string) ([]Change, error) {
	from, err := d.TreeOf(ctx, from)
	if err != nil {
		return nil, err
	}
	if to, err = d.TreeOf(ctx, to); err != nil || from == to {
		return nil, err
	}
	changes, err := d.objects.compare(ctx, "", from, to)
	slices.SortFunc(changes, byPath)
	return changes, err
}

func parseRaw(parts []string) ([]Change, error) {
	var changes []Change
	for i := 0; i+1 < len(parts); i += 2 {
		f := strings.Fields(strings.TrimPrefix(parts[i], ":"))
		if len(f) != 5 || f[4] == "" {
			return nil, fmt.Errorf("git printed a difference that cannot be read: %q", parts[i])
		}
		changes = append(changes, Change{
			Path: parts[i+1], OldMode: f[0], NewMode: f[1],
			OldID: f[2], NewID: f[3], Status: f[4][0],
		})
	}
	return changes, nil
}

// NameStatus is one path of a difference with renames.
type NameStatus struct {
	Status byte // A, M, D, T, R
	Path   string
	From   string // the former path of a rename; else empty
}

// DiffNames lists the paths that differ between two trees or commits, with renames. With one commit
// alone, those that it changed.
func (d *ScratchDir) DiffNames(ctx context.Context, commits ...string) ([]NameStatus, error) {
	if len(commits) == 2 {
		changes, err := d.DiffTree(ctx, commits[0], commits[1])
		if err != nil || !mayRename(changes) {
			return nameStatus(changes), err
		}
	}
	args := []string{"diff-tree", "-r", "-z", "-M", "--no-commit-id", "--name-status"}
	out, _, err := d.do(ctx, Files{}, nil, nil, append(args, commits...)...)
	if err != nil {
		return nil, err
	}
	var found []NameStatus
	parts := SplitNUL(out)
	for i := 0; i+1 < len(parts); i += 2 {
		n := NameStatus{Status: parts[i][0], Path: parts[i+1]}
		if n.Status == 'R' {
			if i+2 >= len(parts) {
				return nil, errors.New("git printed a rename without its second name")
			}
			n.From, n.Path = n.Path, parts[i+2]
			i++
		}
		found = append(found, n)
	}
	return found, nil
}

// mayRename reports whether a difference has a deletion beside an addition.
func mayRename(changes []Change) bool {
	has := func(status byte) bool {
		return slices.ContainsFunc(changes, func(c Change) bool { return c.Status == status })
	}
	return has('A') && has('D')
}

func nameStatus(changes []Change) []NameStatus {
	var found []NameStatus
	for _, c := range changes {
		found = append(found, NameStatus{Status: c.Status, Path: c.Path})
	}
	return found
}

// Patch is the difference of one path between two trees or commits as text, with so many lines of
// context.
func (d *ScratchDir) Patch(
	ctx context.Context, from, to, path string, context int,
) (string, error) {
	out, _, err := d.do(ctx, Files{}, nil, nil, "diff-tree", "-r", "-p", "-U"+strconv.Itoa(context),
		"--no-renames",
		"--no-ext-diff", "--no-textconv", "--no-color", from, to, "--", path)
	return string(out), err
}

// Conflict is one path that did not merge.
type Conflict struct {
	Path string
	Kind string // git's word: contents, binary, modify/delete, …
}

// MergeTree merges two commits without touching any file. It gives the tree, or the conflicts,
// sorted by path. Attributes (merge=union, binary) are read from the files in dir.
func (d *ScratchDir) MergeTree(
	ctx context.Context, dir, ours, theirs string,
) (tree string, clashes []Conflict, err error) {
	out, code, err := d.do(ctx, Files{WorkTree: dir}, nil, []int{1},
		"merge-tree", "--write-tree", "-z", "--name-only", "--messages", ours, theirs)
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
		clashes = append(clashes, Conflict{Path: withoutSide(parts[i], ours, theirs)})
	}
	for i++; i < len(parts); {
		n, err := strconv.Atoi(parts[i])
		if err != nil || n < 1 || i+n+2 >= len(parts) {
			break
		}
		kind := parts[i+n+1]
		if inner, ok := strings.CutPrefix(kind, "CONFLICT ("); ok {
			for _, p := range parts[i+1 : i+n+1] {
				// The first word is the most exact: a binary clash is also one of contents.
				if p = withoutSide(p, ours, theirs); kinds[p] == "" {
					kinds[p] = strings.TrimSuffix(inner, ")")
				}
			}
		}
		i += n + 3
	}
	for i := range clashes {
		clashes[i].Kind = kinds[clashes[i].Path]
	}
	slices.SortFunc(clashes, func(a, b Conflict) int { return cmp.Compare(a.Path, b.Path) })
	return "", slices.CompactFunc(clashes, func(a, b Conflict) bool { return a.Path == b.Path }),
		nil
}

// withoutSide strips the suffix by which git names one side of a path. Where a path cannot be both,
// a file and a directory say, git lays one side beside it as PATH~COMMIT.
func withoutSide(path string, sides ...string) string {
	for _, side := range sides {
		if i := strings.LastIndex(path, "~"+side); i > 0 {
			return path[:i]
		}
	}
	return path
}
