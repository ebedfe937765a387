package tamper

import (
	"io/fs"
	"path/filepath"
	"slices"
)

// folder is a directory of a library with the names of its files, as they were at Stamp. While the
// stamp stays, no name was added, removed or replaced.
type folder struct {
	Path  string
	Stamp int64 // change time of the inode, in nanoseconds
	Files []string
}

// entry is the result of a stat call on a library's file.
type entry struct {
	changed int64 // change time of the inode, in nanoseconds; no program can set it
	written int64 // modification time, in nanoseconds
	links   uint64
}

// newer reports whether the file changed after since. A file with several names whose content is
// older has got or lost a name: stores of packages share their files so.
func (e entry) newer(since int64) bool {
	return e.changed > since && (e.links < 2 || e.written > since)
}

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
			return nil //nolint:nilerr // what is gone cannot be loaded
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
