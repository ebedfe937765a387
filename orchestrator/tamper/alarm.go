package tamper

import (
	"os"
	"path/filepath"
)

// alarm is what the kernel is asked to notice: changes of paths that a Watch looks at, and of the
// directories on the way to them, because each of those may be replaced.
type alarm struct {
	news  *notices // nil: the kernel notices nothing
	paths map[string]bool
	lists map[string]bool // directories of which every name counts
	dirs  map[string]bool // to be watched; true: the files in it as well
	rung  bool            // something has changed since the last full look
}

// maxLinks bounds a chain of symbolic links, as Linux does.
const maxLinks = 40

// file adds a path and what it leads to; link is where it leads, empty where it is no link.
func (a *alarm) file(path, link string) {
	for range maxLinks {
		a.paths[path] = true
		a.folder(filepath.Dir(path))
		a.dirs[filepath.Dir(path)] = true
		if link == "" {
			return
		}
		path = target(path, link)
		link, _ = os.Readlink(path) // empty: the end of the chain
	}
}

// folder adds a directory with all above it, and where links among them lead.
func (a *alarm) folder(dir string) {
	for at := dir; !a.paths[at] && at != filepath.Dir(at); at = filepath.Dir(at) {
		a.paths[at] = true
		a.names(filepath.Dir(at))
		if link, err := os.Readlink(at); err == nil {
			rest, _ := filepath.Rel(at, dir) // it is above dir
			a.folder(filepath.Join(target(at, link), rest))
		}
	}
}

// names has the names in a directory watched.
func (a *alarm) names(dir string) {
	if !a.dirs[dir] {
		a.dirs[dir] = false
	}
}

// target is the path that a link leads to.
func target(path, link string) string {
	if filepath.IsAbs(link) {
		return filepath.Clean(link)
	}
	return filepath.Join(filepath.Dir(path), link)
}
