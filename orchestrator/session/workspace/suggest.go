package workspace

import (
	"context"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"autobuild/internal/text"
)

// Bounds of a search for a missing path.
const (
	maxWalked  = 20000           // files and directories
	askHistory = 5 * time.Second // of git's history of a file
)

// unsearched are directories that hold no work of a plan.
var unsearched = []string{".git", ".autobuild", "node_modules"}

// Near lists paths in dir that a missing path may mean, best first: where git's history has moved
// it, the same name in another case or in one other directory, and names with one or two other
// letters.
func (l *Worktrees) Near(ctx context.Context, dir, missing string) []string {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }() // only read from
	found := likely(os.DirFS(dir), missing)
	asking, cancel := context.WithTimeout(ctx, askHistory)
	defer cancel()
	if to, err := l.Line.Renamed(asking, missing); err == nil && to != "" {
		if _, err := root.Stat(to); err == nil {
			found = append([]string{to},
				slices.DeleteFunc(found, func(p string) bool { return p == to })...)
		}
	}
	return found
}

// Near lists paths in dir that a missing path may mean, without git's history.
func (*Shared) Near(_ context.Context, dir, missing string) []string {
	return likely(os.DirFS(dir), missing)
}

// candidate is a path with its distance from the missing one.
type candidate struct {
	path string
	far  int
}

// likely walks the tree for paths that resemble one that is not in it.
func likely(tree fs.FS, missing string) []string {
	var near, elsewhere []candidate
	walked := 0
	// unreadable paths are left out
	_ = fs.WalkDir(tree, ".", func(p string, e fs.DirEntry, err error) error {
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
	if len(elsewhere) == 1 { // several of the same name are equally likely
		near = append(near, elsewhere[0])
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.far - b.far })
	paths := make([]string, len(near))
	for i, c := range near {
		paths[i] = c.path
	}
	return paths
}

// distance is how far a path is from the missing one; false where it cannot be meant.
func distance(sought, p string) (int, bool) {
	const typo = 2 // letters
	base, name := path.Base(sought), path.Base(p)
	apart := 0 // directories that only one of the two has
	if path.Dir(sought) != path.Dir(p) {
		apart = 1 + strings.Count(path.Dir(sought), "/") + strings.Count(path.Dir(p), "/")
	}
	letters := text.Distance(strings.ToLower(base), strings.ToLower(name), typo)
	switch {
	case strings.EqualFold(sought, p):
		return 0, true
	case base == name:
		return 1 + apart, true
	case strings.EqualFold(base, name):
		return 10 + apart, true
	case apart == 0 && letters <= typo &&
		letters*2 <= len(strings.TrimSuffix(base, path.Ext(base))):
		return 2 + letters, true
	}
	return 0, false
}
