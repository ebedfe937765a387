package cmd

import (
	"context"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"autobuild/plan"
)

// Bounds of a search for what a missing path may mean.
const (
	maxWalked  = 20000           // files and directories that are looked at
	askHistory = 5 * time.Second // that git may think about a file's history
)

// unsearched are directories in which no work of a plan is.
var unsearched = []string{".git", ".autobuild", "node_modules"}

// renamer knows where files went.
type renamer interface {
	Renamed(ctx context.Context, path string) (string, error)
}

// near lists paths in dir that a missing one may mean, best first: where git's history says that it went, the same name in
// another case or in one other place, and names a letter or two away. That a file lies beside it is no evidence.
func (s *session) near(ctx context.Context, dir, missing string) []string {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }() // only read from
	found := likely(os.DirFS(dir), missing)
	if history, ok := s.space.(renamer); ok {
		asking, cancel := context.WithTimeout(ctx, askHistory)
		defer cancel()
		if to, err := history.Renamed(asking, missing); err == nil && to != "" {
			if _, err := root.Stat(to); err == nil {
				found = append([]string{to}, slices.DeleteFunc(found, func(p string) bool { return p == to })...)
			}
		}
	}
	return found
}

// candidate is a path with how far it is from what was sought.
type candidate struct {
	path string
	far  int
}

// likely walks the tree for paths that resemble one that is not in it.
func likely(tree fs.FS, missing string) []string {
	var near, elsewhere []candidate
	walked := 0
	_ = fs.WalkDir(tree, ".", func(p string, e fs.DirEntry, err error) error { // what cannot be read is not suggested
		if walked++; walked > maxWalked {
			return fs.SkipAll
		}
		switch {
		case err != nil && e != nil && e.IsDir():
			return fs.SkipDir
		case err != nil || p == ".":
			return nil
		case e.IsDir() && slices.Contains(unsearched, e.Name()):
			return fs.SkipDir
		}
		switch far, ok := distance(missing, p); {
		case !ok:
		case path.Dir(p) != path.Dir(missing):
			elsewhere = append(elsewhere, candidate{p, far})
		default:
			near = append(near, candidate{p, far})
		}
		return nil
	})
	if len(elsewhere) == 1 { // of several that are called alike none is more likely than the others
		near = append(near, elsewhere[0])
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.far - b.far })
	paths := make([]string, len(near))
	for i, c := range near {
		paths[i] = c.path
	}
	return paths
}

// distance says how far a path is from the one that was sought, if it may be meant at all.
func distance(sought, p string) (int, bool) {
	const typo = 2 // letters
	base, name := path.Base(sought), path.Base(p)
	apart := 0 // directories that only one of the two has
	if path.Dir(sought) != path.Dir(p) {
		apart = 1 + strings.Count(path.Dir(sought), "/") + strings.Count(path.Dir(p), "/")
	}
	letters := plan.Distance(strings.ToLower(base), strings.ToLower(name), typo)
	switch {
	case strings.EqualFold(sought, p):
		return 0, true
	case base == name:
		return 1 + apart, true
	case strings.EqualFold(base, name):
		return 10 + apart, true
	case apart == 0 && letters <= typo && letters*2 <= len(strings.TrimSuffix(base, path.Ext(base))):
		return 2 + letters, true
	}
	return 0, false
}
