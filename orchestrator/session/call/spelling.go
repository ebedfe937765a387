package call

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/safefile"
)

// Respelled is a path below root in the letters of the disk. Where case is folded other letters
// lead there too, and git would know neither the directory nor the plan by them. A path that
// differs in more than case, by a link for example, stays as it is.
func Respelled(root, path string) string {
	top, err := os.Stat(root)
	if err != nil {
		return path
	}
	var names []string // the last one first
	for dir := path; !leadsTo(dir, top); dir = filepath.Dir(dir) {
		if dir == filepath.Dir(dir) {
			return path // not below it
		}
		names = append(names, filepath.Base(dir))
	}
	out := root
	for _, name := range slices.Backward(names) {
		out = filepath.Join(out, listed(out, name))
	}
	if !strings.EqualFold(out, path) {
		return path
	}
	return out
}

// listed is a name as its directory lists it.
func listed(dir, name string) string {
	info, err := os.Lstat(filepath.Join(dir, name))
	if err != nil {
		return name // it is not there, by any letters
	}
	d, err := safefile.OpenDir(dir)
	if err != nil {
		return name
	}
	names, _ := d.Readdirnames(-1) // of a directory that cannot be read, none
	_ = d.Close()                  // only read from
	return spelling(names, name, func(other string) bool {
		found, err := os.Lstat(filepath.Join(dir, other))
		return err == nil && os.SameFile(info, found)
	})
}

// spelling finds the entry of names that a name refers to: itself where it is among them, else one
// that differs in case alone and is the same file.
func spelling(names []string, name string, same func(other string) bool) string {
	if slices.Contains(names, name) {
		return name
	}
	for _, other := range names {
		if strings.EqualFold(other, name) && same(other) {
			return other
		}
	}
	return name
}

func leadsTo(path string, info os.FileInfo) bool {
	there, err := os.Stat(path)
	return err == nil && os.SameFile(there, info)
}
