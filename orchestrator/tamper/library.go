package tamper

import (
	"io/fs"
	"path/filepath"
	"slices"
)

// newer returns the paths of files whose inode changed after since. left bounds the entries that it
// looks at. The first call reads the directories; later ones read them again where one has changed.
func (t *tree) newer(left *int, since int64) []string {
	if t.folders == nil {
		return t.list(left, since)
	}
	var found []string
	before := *left
	for i := range t.folders {
		f := &t.folders[i]
		if *left -= 1 + len(f.Files); *left <= 0 {
			return found
		}
		same := statFiles(f, func(name string, e entry) {
			if e.newer(since) {
				found = append(found, filepath.Join(f.Path, name))
			}
		})
		if !same {
			*left = before
			return t.list(left, since)
		}
	}
	return found
}

// list reads the library's directories, and returns the same paths as newer.
func (t *tree) list(left *int, since int64) (found []string) {
	t.folders = nil
	at := map[string]int{} // directory → position in folders
	_ = filepath.WalkDir(t.Root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // a removed file cannot be loaded
		}
		if *left--; *left <= 0 {
			t.folders = nil
			return fs.SkipAll
		}
		name := d.Name()
		if path != t.Root && filepath.Dir(path) == t.Root && t.Names != nil && !t.Names[name] {
			return skip(d)
		}
		info, err := d.Info()
		if err != nil {
			return nil //nolint:nilerr // likewise
		}
		changed, _, _ := inode(info)
		if d.IsDir() {
			if t.skips(path, name) {
				return fs.SkipDir
			}
			at[path] = len(t.folders)
			t.folders = append(t.folders, folder{Path: path, Stamp: changed})
			return nil
		}
		if i, known := at[filepath.Dir(path)]; known {
			t.folders[i].Files = append(t.folders[i].Files, name)
		}
		if (entry{changed, info.ModTime().UnixNano(), links(info)}).newer(since) {
			found = append(found, path)
		}
		return nil
	})
	return found
}

// skips reports whether gates load nothing from a directory.
func (t *tree) skips(path, name string) bool {
	return slices.Contains(skipped, name) || slices.Contains(t.Skip, path) ||
		path != t.Root && (name == "site-packages" || name == "dist-packages")
}

func skip(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// tree is a directory of a tool's library. It is too large to be remembered, so that it changed is
// read from the time at which an inode last changed, which no program can set.
type tree struct {
	Root  string
	What  string
	Tools []string        // the tools whose commands use it
	Names map[string]bool // the entries of Root that count; nil: all
	Skip  []string        // directories that no gate loads
	Fetch bool            // a cache: removed files are fetched again
	Away  bool            // it was put aside, and has not been fetched again yet
	Since int64           // of one that was fetched again: when that was noticed; 0: as the watch

	folders []folder // its directories, as they were when they were read; nil: not yet
}

// skipped are directories that tools fill as they run, or that only a library's own tests read.
var skipped = []string{"testdata", "__pycache__", ".cache", ".vite", ".vite-temp", ".turbo"}
