package delivery

import (
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
)

// obstacle names a file of the checkout that git does not have and that stands where the update
// makes one. Git itself refuses to write over such a file only while no .gitignore covers it; a
// file that is ignored, a .env say, is as much the user's.
func (u *update) obstacle(ctx context.Context) (string, error) {
	var stands []string
	inside := map[string]bool{".": true}
	for _, c := range u.changes {
		if c.Status != 'A' || c.NewMode == git.Gitlink {
			continue
		}
		if p := u.inWay(c.Path, inside); p != "" {
			stands = append(stands, p)
		}
	}
	if len(stands) == 0 {
		return "", nil
	}
	entries, err := u.entries(ctx)
	if err != nil {
		return "", err
	}
	known := make(map[string]bool, len(entries))
	for p := range entries {
		known[u.fold(p)] = true
	}
	for _, p := range stands {
		if found := u.unknownIn(p, known); found != "" {
			return found, nil
		}
	}
	return "", nil
}

// inWay is the obstacle where a path is to be made: the path itself, or an entry on the way to it
// that is no directory. Known holds the directories that were met so far.
func (u *update) inWay(name string, known map[string]bool) string {
	if dir := path.Dir(name); !known[dir] {
		if p := u.inWay(dir, known); p != "" && !safefile.IsDir(u.onDisk(p)) {
			return p
		}
		known[dir] = true
	}
	if !safefile.Exists(u.onDisk(name)) {
		return ""
	}
	return name
}

// unknownIn is the first file at or below a path that is missing in the index: git protects tracked
// files itself.
func (u *update) unknownIn(name string, known map[string]bool) (found string) {
	top := u.Repo.Top
	_ = filepath.WalkDir(u.onDisk(name), func(p string, d fs.DirEntry, err error) error {
		rel, failed := filepath.Rel(top, p)
		if err != nil || failed != nil || d.IsDir() {
			return nil //nolint:nilerr // git refuses a file that cannot be read
		}
		if rel = filepath.ToSlash(rel); !known[u.fold(rel)] {
			found = rel
			return fs.SkipAll
		}
		return nil
	})
	return found
}

func (u *update) fold(name string) string {
	if u.Scratch.IgnoreCase {
		return strings.ToLower(name)
	}
	return name
}
