package tamper

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// tree is a directory of a tool's library. It is too large to be remembered, so that it changed is
// read from the time at which an inode last changed, which no program can set.
type tree struct {
	Root  string
	What  string
	Tools []string        // whose commands use it
	Names map[string]bool // the entries of Root that count; nil: all
	Skip  []string        // directories that no gate loads
	Fetch bool            // a cache: what is removed is fetched again
	Away  bool            // it was put aside, and has not been fetched again yet
	Since int64           // of one that was fetched again: when that was noticed; 0: as the watch

	folders []folder // its directories, as they were when they were read; nil: not yet
}

// The programs whose commands use a library.
var (
	pythonTools = []string{
		"python", "python3", "pytest", "py.test", "tox", "nox", "pip", "uv", "poetry",
		"hatch", "pdm", "ruff", "mypy", "flake8", "black", "pylint", "coverage", "pyright",
	}
	nodeTools = []string{"node", "npm", "npx", "pnpm", "yarn", "bun", "jest", "vitest", "mocha", "tsc", "eslint", "prettier", "ava", "tap"}
	goTools   = []string{"go", "gofmt", "golangci-lint", "staticcheck", "gotestsum"}
)

// marks are files of a checkout that say which tools its gates use, by one of the tool's names.
var marks = map[string]string{
	"go.mod": "go", "go.work": "go", "package.json": "node",
	"pyproject.toml": "python", "setup.py": "python", "setup.cfg": "python", "requirements.txt": "python", "pytest.ini": "python", "tox.ini": "python",
}

// skipped are directories that tools fill as they run, or that only a library's own tests read.
var skipped = []string{"testdata", "__pycache__", ".cache", ".vite", ".vite-temp", ".turbo"}

// tree adds a library that this process could change; what it cannot change, no agent of it can.
func (w *Watch) tree(t tree) {
	if w.config.Now == nil || w.own(t.Root) || !writable(t.Root) || slices.ContainsFunc(w.trees, func(o tree) bool { return o.Root == t.Root }) {
		return
	}
	if info, err := os.Stat(t.Root); err == nil && info.IsDir() {
		w.trees = append(w.trees, t)
	}
}

// takeGo watches Go's standard library, and the modules of the checkout in the module cache.
func (w *Watch) takeGo(env map[string]string) {
	root := env["GOROOT"]
	if goes := w.find("go"); root == "" && goes != "" {
		root = filepath.Dir(filepath.Dir(goes))
	}
	if filepath.IsAbs(root) && isDir(filepath.Join(root, "src", "testing")) {
		for _, part := range []string{"src", "bin", "pkg"} {
			w.tree(tree{Root: filepath.Join(root, part), What: "Go's library", Tools: goTools, Skip: []string{filepath.Join(root, "src", "cmd")}})
		}
	}
	cache := env["GOMODCACHE"]
	if cache == "" {
		path := firstOf(filepath.SplitList(env["GOPATH"]))
		if path == "" && env["HOME"] != "" {
			path = filepath.Join(env["HOME"], "go")
		}
		cache = filepath.Join(path, "pkg", "mod")
	}
	if !filepath.IsAbs(cache) {
		return
	}
	sums, err := w.config.Load(filepath.Join(w.config.Root, "go.sum"), 8<<20)
	if err != nil {
		return
	}
	for line := range bytes.Lines(sums) {
		f := strings.Fields(string(line))
		if len(f) != 3 || strings.HasSuffix(f[1], "/go.mod") || !filepath.IsLocal(f[0]) || strings.ContainsAny(f[1], `/\`) {
			continue
		}
		module, version := escaped(f[0]), escaped(f[1])
		w.tree(tree{Root: filepath.Join(cache, filepath.FromSlash(module)+"@"+version), What: "module " + f[0], Tools: goTools, Fetch: true})
		for _, ending := range []string{".zip", ".ziphash", ".mod"} {
			it := w.look(filepath.Join(cache, "cache", "download", filepath.FromSlash(module), "@v", version+ending), "the cache of modules", false)
			if it.Fetch = true; !it.Stamp.absent() {
				w.items = append(w.items, it)
			}
		}
	}
}

// escaped is a module's path or version as the cache spells it.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsUpper(r) {
			b.WriteByte('!')
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}

// takeNode watches the modules that Node finds beside those of a worktree.
func (w *Watch) takeNode(env map[string]string) {
	add := func(dir string) {
		if names, err := namesIn(dir); err == nil {
			w.tree(tree{Root: filepath.Clean(dir), What: "Node's library", Tools: nodeTools, Names: setOf(names)})
		}
	}
	if node := w.find("node"); node != "" {
		add(filepath.Join(filepath.Dir(filepath.Dir(node)), "lib", "node_modules"))
	}
	for _, dir := range filepath.SplitList(env["NODE_PATH"]) {
		if filepath.IsAbs(dir) {
			add(dir)
		}
	}
	for _, dir := range w.ancestors() {
		if path := filepath.Join(dir, "node_modules"); !w.own(path) {
			add(path)
		}
	}
	if home := env["HOME"]; filepath.IsAbs(home) {
		for _, name := range []string{".node_modules", ".node_libraries"} {
			add(filepath.Join(home, name))
		}
	}
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
			return w.tracked(path) || slices.ContainsFunc(w.items, func(it item) bool { return it.Path == path })
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

// glob are the paths below a directory that fit a pattern, sorted; the directory's own name is no
// pattern.
func glob(dir, pattern string) []string {
	if dir == "" {
		return nil
	}
	found, err := fs.Glob(os.DirFS(dir), pattern)
	if err != nil {
		return nil
	}
	for i := range found {
		found[i] = filepath.Join(dir, filepath.FromSlash(found[i]))
	}
	return found
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func firstOf(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}
