package referee

import (
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/orchestrator/verify/referee/gate"
)

// imports records the modules of a tree and their users. A module is a file; in Go a directory,
// written with a slash at the end.
type imports struct {
	src      Source
	paths    map[string]bool
	goRoots  map[string]string          // module path → directory
	users    map[string][]string        // module → files that import it
	uses     map[string][]string        // file → modules of the tree that it imports
	external map[string]map[string]bool // suffix family → names that are not in the tree
	testing  map[string]bool            // modules that import a test framework
	rustTest []string                   // files that Rust compiles for tests alone
}

func readImports(src Source, paths map[string]bool) *imports {
	g := &imports{
		src: src, paths: paths, goRoots: map[string]string{}, users: map[string][]string{},
		uses:     map[string][]string{},
		external: map[string]map[string]bool{"go": {}, "js": {}, "py": {}},
		testing:  map[string]bool{},
	}
	sorted := src.Paths()
	for _, p := range sorted {
		if path.Base(p) == "go.mod" && !gate.InVendor(p) {
			text, _ := src.Read(p)
			if m := goModule.FindStringSubmatch(text); m != nil {
				g.goRoots[m[1]] = gate.DirOf(p)
			}
		}
	}
	for _, p := range sorted {
		if gate.InVendor(p) || !gate.IsSource(p) {
			continue
		}
		if text, ok := src.Read(p); ok {
			g.file(p, text)
		}
	}
	return g
}

var goModule = lazyregexp.New(`(?m)^module\s+"?([^\s"]+)`)

func (g *imports) file(file, text string) {
	switch {
	case gate.HasSuffix(file, gate.GoSuffix):
		g.goFile(file, text)
	case gate.HasSuffix(file, gate.JSSuffix):
		for _, spec := range jsImports(text) {
			g.use(file, g.resolveJS(file, spec), "js", jsPackage(spec))
			if slices.Contains(testFrameworks, jsPackage(spec)) {
				g.testing[file] = true
			}
		}
	case gate.HasSuffix(file, gate.PythonSuffix):
		for _, i := range pyImports(text) {
			for _, module := range g.resolvePy(file, i) {
				g.use(file, module, "py", i.top())
			}
			if slices.Contains(testFrameworks, i.top()) {
				g.testing[file] = true
			}
		}
	case path.Ext(file) == ".rs":
		for _, m := range rustTestMod.FindAllStringSubmatch(text, -1) {
			dir := gate.DirOf(file)
			if base := strings.TrimSuffix(path.Base(file), ".rs"); base != "lib" &&
				base != "main" && base != "mod" {
				dir = path.Join(dir, base)
			}
			g.rustTest = append(g.rustTest, path.Join(dir, m[1]+".rs"),
				path.Join(dir, m[1], "mod.rs"))
		}
	}
}

var rustTestMod = lazyregexp.New(
	`#\[cfg\((?:all\()?test[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;`)

func (g *imports) use(file, module, family, name string) {
	if module == "" {
		if name != "" {
			g.external[family][name] = true
		}
		return
	}
	if module == file || slices.Contains(g.uses[file], module) {
		return
	}
	g.uses[file] = append(g.uses[file], module)
	g.users[module] = append(g.users[module], file)
}

// testFrameworks are modules that a program imports to test something.
var testFrameworks = []string{
	"testing", "testing/fstest", "testing/quick", "testing/iotest", "github.com/stretchr/testify",
	"github.com/onsi/gomega",
	"github.com/google/go-cmp", "gotest.tools/v3", "github.com/rogpeppe/go-internal",
	"github.com/golang/mock",
	"node:test", "node:assert", "assert", "vitest", "@jest/globals", "chai", "sinon", "supertest",
	"nock", "msw", "jest-mock",
	"@testing-library", "mocha", "ava", "tape", "tap", "expect", "should", "@playwright/test",
	"cypress",
	"pytest", "unittest", "hypothesis", "mock", "responses", "freezegun", "nose", "doctest",
	"_pytest",
}

func (g *imports) goFile(file, text string) {
	f, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly)
	if f == nil || err != nil && len(f.Imports) == 0 {
		return
	}
	for _, i := range f.Imports {
		name, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			continue
		}
		g.use(file, g.resolveGo(name), "go", name)
		if !strings.HasSuffix(file, "_test.go") &&
			slices.ContainsFunc(testFrameworks, func(t string) bool {
				return name == t || strings.HasPrefix(name, t+"/") && strings.Contains(t, ".")
			}) {
			g.testing[goUnit(file)] = true
		}
	}
}

// goUnit is the module of a Go file: its directory.
func goUnit(file string) string { return gate.DirOf(file) + "/" }

func (g *imports) resolveGo(name string) string {
	best, dir := "", ""
	for root, d := range g.goRoots {
		if (name == root || strings.HasPrefix(name, root+"/")) && len(root) > len(best) {
			best, dir = root, d
		}
	}
	if best == "" {
		return ""
	}
	return path.Join(dir, strings.TrimPrefix(strings.TrimPrefix(name, best), "/")) + "/"
}

var (
	jsFrom = lazyregexp.New(`(?s)\b(?:import|export)\b[^'"` + "`" +
		`;()]*?\bfrom\s*['"]([^'"\n]+)['"]`)
	jsBare    = lazyregexp.New(`(?m)^\s*import\s*['"]([^'"\n]+)['"]`)
	jsRequire = lazyregexp.New(
		`\b(?:require|import|mock|doMock|requireActual|importActual)(?:\.resolve)?\s*\(\s*['"` +
			"`" + `]([^'"` + "`" + `\n$]+)['"` + "`" + `]`)
)

func jsImports(text string) []string {
	var out []string
	for _, re := range []*lazyregexp.Regexp{jsFrom, jsBare, jsRequire} {
		for _, m := range re.FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
	}
	return out
}

// jsPackage is the package of a module's name: @scope/name, or the first part.
func jsPackage(spec string) string {
	if strings.HasPrefix(spec, ".") || strings.HasPrefix(spec, "/") {
		return ""
	}
	parts := strings.Split(spec, "/")
	if strings.HasPrefix(spec, "@testing-library/") || !strings.HasPrefix(spec, "@") ||
		len(parts) < 2 {
		return parts[0]
	}
	return parts[0] + "/" + parts[1]
}

func (g *imports) resolveJS(file, spec string) string {
	if !strings.HasPrefix(spec, ".") {
		return ""
	}
	full := path.Join(gate.DirOf(file), spec)
	if g.paths[full] {
		return full
	}
	stems := []string{full}
	// ./x.js is x.ts before it is compiled
	if ext := path.Ext(full); slices.Contains(gate.JSSuffix, ext) {
		stems = append(stems, strings.TrimSuffix(full, ext))
	}
	for _, stem := range stems {
		for _, s := range append([]string{".json"}, gate.JSSuffix...) {
			if g.paths[stem+s] {
				return stem + s
			}
			if g.paths[path.Join(stem, "index"+s)] {
				return path.Join(stem, "index"+s)
			}
		}
	}
	return ""
}

// pyImport is one import of a Python file: dots in front, the module, and the names that are taken
// from it.
type pyImport struct {
	level int
	name  string
	names []string
}

func (i pyImport) top() string {
	top, _, _ := strings.Cut(i.name, ".")
	if i.level > 0 {
		return ""
	}
	return top
}

var (
	pyFrom = lazyregexp.New(
		`(?m)^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#;]*)`)
	pyPlain = lazyregexp.New(`(?m)^[ \t]*import[ \t]+([\w., \t]+)`)
	pyCall  = lazyregexp.New(`(?:import_module|__import__)\(\s*['"]([\w.]+)['"]`)
)

func pyImports(text string) []pyImport {
	var out []pyImport
	for _, m := range pyFrom.FindAllStringSubmatch(text, -1) {
		i := pyImport{level: len(m[1]), name: m[2]}
		for part := range strings.SplitSeq(strings.Trim(m[3], "()"), ",") {
			if words := strings.Fields(part); len(words) > 0 {
				i.names = append(i.names, words[0])
			}
		}
		out = append(out, i)
	}
	for _, m := range pyPlain.FindAllStringSubmatch(text, -1) {
		for part := range strings.SplitSeq(m[1], ",") {
			if words := strings.Fields(part); len(words) > 0 {
				out = append(out, pyImport{name: words[0]})
			}
		}
	}
	for _, m := range pyCall.FindAllStringSubmatch(text, -1) {
		out = append(out, pyImport{name: m[1]})
	}
	return out
}

// resolvePy are the modules of an import in the tree; one empty name where there is none.
func (g *imports) resolvePy(file string, i pyImport) []string {
	var roots []string
	if i.level > 0 {
		dir := gate.DirOf(file)
		for range i.level - 1 {
			dir = gate.DirOf(dir)
		}
		roots = []string{dir}
	} else {
		for dir := gate.DirOf(file); ; dir = gate.DirOf(dir) {
			roots = append(roots, dir, path.Join(dir, "src"))
			if dir == "" {
				break
			}
		}
	}
	name := strings.ReplaceAll(i.name, ".", "/")
	var out []string
	for _, root := range roots {
		for _, sub := range append([]string{""}, i.names...) {
			for _, s := range []string{".py", "/__init__.py", ".pyi"} {
				if f := path.Join(root, name, sub) + s; g.paths[f] {
					out = append(out, f)
				}
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	if i.level == 0 {
		return []string{""}
	}
	return nil
}
