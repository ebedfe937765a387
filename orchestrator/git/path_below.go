package git

import "path/filepath"

// PathBelow is the path of a file below top as git names it, links on the way resolved; empty where
// it lies elsewhere or is empty.
func PathBelow(top, file string) string {
	if file == "" {
		return ""
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil {
		file = filepath.Join(dir, filepath.Base(file))
	}
	if dir, err := filepath.EvalSymlinks(top); err == nil {
		top = dir
	}
	rel, err := filepath.Rel(top, file)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}
