package tamper

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// marks are files of a checkout that say which tools its gates use, by one of the tool's names.
var marks = map[string]string{
	"go.mod": "go", "go.work": "go", "package.json": "node",
	"pyproject.toml": "python", "setup.py": "python", "setup.cfg": "python",
	"requirements.txt": "python", "pytest.ini": "python", "tox.ini": "python",
}

// compareTrees looks for files that have changed since the watch was taken.
func (w *Watch) compareTrees(commands []string) []Change {
	var changes []Change
	left := maxEntries
	for i := range w.trees {
		t := &w.trees[i]
		if !uses(commands, t.Tools...) && !w.marked(t.Tools) {
			continue
		}
		if t.Away {
			if isDir(t.Root) {
				t.Away, t.Since = false, w.config.Now().UnixNano()
			}
			continue
		}
		found := slices.DeleteFunc(t.newer(&left, max(w.since, t.Since)), func(path string) bool {
			// the checkout's own, or looked at by itself
			return w.tracked(path) ||
				slices.ContainsFunc(w.items, func(it item) bool { return it.Path == path })
		})
		if len(found) == 0 {
			continue
		}
		what := fmt.Sprintf("%s: %s was changed", t.What, found[0])
		if count := len(found); count > 1 {
			what += fmt.Sprintf(", and %d more files", count-1)
		}
		path := found[0]
		if t.Fetch {
			path = t.Root
		}
		changes = append(changes, Change{Path: path, What: what, kind: library, at: i})
	}
	w.partial = w.partial || left <= 0
	return changes
}

// marked reports whether the checkout shows that one of the tools is used.
func (w *Watch) marked(tools []string) bool {
	for mark, tool := range marks {
		if slices.Contains(tools, tool) {
			if _, err := os.Lstat(filepath.Join(w.config.Root, mark)); err == nil {
				return true
			}
		}
	}
	return false
}
