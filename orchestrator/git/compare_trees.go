package git

import (
	"context"
	"strings"
)

// walkTree lists every file below a tree, one level of directories a request.
func (r *objectReader) walkTree(ctx context.Context, tree string) ([]Change, error) {
	type folder struct{ path, id string }
	var files []Change
	for level := []folder{{id: tree}}; len(level) > 0; {
		ids := make([]string, len(level))
		for i, f := range level {
			ids[i] = f.id
		}
		objects, err := r.read(ctx, ids, true)
		if err != nil {
			return nil, err
		}
		var below []folder
		for i, o := range objects {
			if o.kind != "tree" {
				return nil, notFound("tree", ids[i])
			}
			entries, err := parseTree(o)
			if err != nil {
				return nil, err
			}
			for _, e := range entries {
				if e.Path = level[i].path + e.Path; e.NewMode == treeMode {
					below = append(below, folder{e.Path + "/", e.NewID})
				} else {
					files = append(files, e)
				}
			}
		}
		level = below
	}
	return files, nil
}

// compare lists the files that differ between two trees below a path; an empty id is an empty tree.
func (r *objectReader) compare(ctx context.Context, path, from, to string) ([]Change, error) {
	sides := map[string]*[2]Change{}
	for i, id := range []string{from, to} {
		if id == "" {
			continue
		}
		entries, err := r.tree(ctx, id)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if sides[e.Path] == nil {
				sides[e.Path] = &[2]Change{}
			}
			sides[e.Path][i] = e
		}
	}
	var found []Change
	for name, s := range sides {
		old, now := s[0], s[1]
		if old.NewMode == now.NewMode && old.NewID == now.NewID {
			continue
		}
		if c, ok := fileChange(path+name, old, now); ok {
			found = append(found, c)
		}
		if old.NewMode != treeMode && now.NewMode != treeMode {
			continue
		}
		below, err := r.compare(ctx, path+name+"/", subtree(old), subtree(now))
		if err != nil {
			return nil, err
		}
		found = append(found, below...)
	}
	return found, nil
}

func subtree(e Change) string {
	if e.NewMode == treeMode {
		return e.NewID
	}
	return ""
}

// fileChange is the change of one name as far as a file is on one side of it.
func fileChange(path string, old, now Change) (Change, bool) {
	was := old.NewMode != "" && old.NewMode != treeMode
	is := now.NewMode != "" && now.NewMode != treeMode
	none := strings.Repeat("0", max(len(old.NewID), len(now.NewID)))
	c := Change{
		Path: path, OldMode: "000000", NewMode: "000000", OldID: none, NewID: none,
		Status: 'M',
	}
	if was {
		c.OldMode, c.OldID = old.NewMode, old.NewID
	}
	if is {
		c.NewMode, c.NewID = now.NewMode, now.NewID
	}
	switch {
	case !was && !is:
		return c, false
	case !was:
		c.Status = 'A'
	case !is:
		c.Status = 'D'
	case c.OldMode[:3] != c.NewMode[:3]:
		c.Status = 'T'
	}
	return c, true
}
