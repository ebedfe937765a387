package tamper

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// The programs whose commands use a library.
var (
	pythonTools = []string{
		"python", "python3", "pytest", "py.test", "tox", "nox", "pip", "uv", "poetry",
		"hatch", "pdm", "ruff", "mypy", "flake8", "black", "pylint", "coverage", "pyright",
	}
	nodeTools = []string{
		"node", "npm", "npx", "pnpm", "yarn", "bun", "jest", "vitest", "mocha",
		"tsc", "eslint", "prettier", "ava", "tap",
	}
	goTools = []string{"go", "gofmt", "golangci-lint", "staticcheck", "gotestsum"}
)

// takeGo watches Go's standard library, and the modules of the checkout in the module cache.
func (w *Watch) takeGo(env map[string]string) {
	root := env["GOROOT"]
	if goes := w.find("go"); root == "" && goes != "" {
		root = filepath.Dir(filepath.Dir(goes))
	}
	if filepath.IsAbs(root) && isDir(filepath.Join(root, "src", "testing")) {
		for _, part := range []string{"src", "bin", "pkg"} {
			w.tree(tree{
				Root: filepath.Join(root, part), What: "Go's library", Tools: goTools,
				Skip: []string{filepath.Join(root, "src", "cmd")},
			})
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
		if len(f) != 3 || strings.HasSuffix(f[1], "/go.mod") || !filepath.IsLocal(f[0]) ||
			strings.ContainsAny(f[1], `/\`) {
			continue
		}
		module, version := escaped(f[0]), escaped(f[1])
		w.tree(tree{
			Root: filepath.Join(cache, filepath.FromSlash(module)+"@"+version),
			What: "module " + f[0], Tools: goTools, Fetch: true,
		})
		for _, ending := range []string{".zip", ".ziphash", ".mod"} {
			it := w.look(filepath.Join(cache, "cache", "download", filepath.FromSlash(module), "@v",
				version+ending), "the cache of modules", false)
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
			w.tree(tree{
				Root: filepath.Clean(dir), What: "Node's library", Tools: nodeTools,
				Names: setOf(names),
			})
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
