package referee

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"autobuild/state"
)

// Map holds the classes of the files of one tree for the gates of one phase.
type Map struct {
	base    Source
	gates   []state.GateSpec
	paths   map[string]bool // of the base
	rows    map[string]Row  // of files that contents classify, by path
	specs   map[string]bool // directories named spec that hold tests
	support map[string]bool // directories of Go packages that are there for tests alone
	reach   *reach
	imports *imports
	stacks  map[string]bool // that a gate could use
	names   map[string]bool // base names of all files; nil: not asked yet
	texts   []judgingText   // of gate files and tests; nil: not asked yet
}

// Row says what a file or a kind of files is, and why.
type Row struct {
	Pattern string // a path, or patterns separated by spaces
	Class   Class
	Why     string
}

// NewMap classifies the files of a base for the gates of a phase. It reads every file of program
// text once.
func NewMap(base Source, gates []state.GateSpec) *Map {
	m := &Map{
		base: base, gates: slices.Clone(gates), paths: map[string]bool{}, rows: map[string]Row{},
		specs: map[string]bool{}, support: map[string]bool{}, stacks: map[string]bool{},
	}
	for _, p := range base.Paths() {
		m.paths[p] = true
	}
	for p := range m.paths {
		if d := specDir.FindStringSubmatch(p); d != nil && m.named(p) == Test {
			m.specs[d[1]] = true
		}
	}
	m.reach = newReach(base, m.paths)
	for _, g := range gates {
		m.reach.shell(g.Command, place{dirs: []string{""}, why: g.Name + ": "})
	}
	m.imports = readImports(base, m.paths)
	m.classify()
	m.findStacks()
	return m
}

// Reached reports whether a gate's command leads to a file: it runs it, or reads it.
func (m *Map) Reached(file string) bool {
	_, ok := m.reach.files[file]
	return ok
}

func (m *Map) named(file string) Class {
	if c := byName(file); c != nil {
		return c.class
	}
	return Product
}

// classify notes what contents say: of files that gates reach, then of what only those and tests
// use.
func (m *Map) classify() {
	entries := m.entries()
	m.inline()
	for _, file := range slices.Sorted(maps.Keys(m.reach.files)) {
		why := m.reach.files[file]
		switch {
		case vendoredPath(file):
		case m.named(file) == Gate:
			m.rows[file] = Row{file, Gate, why}
		case m.named(file) == Test || m.row(file).Class == Test:
			if text, ok := m.base.Read(file); ok && shellText(file, text) {
				m.rows[file] = Row{file, Gate, why}
			}
		case m.steers(file, entries):
			m.rows[file] = Row{file, Gate, why}
		case m.compared(file) && strings.HasPrefix(path.Base(file), "."):
			m.rows[file] = Row{file, Gate, why + ", which reads it"}
		case m.compared(file):
			m.rows[file] = Row{file, Test, why + ", which compares with it"}
		}
	}
	for _, file := range m.imports.rustTest {
		if m.paths[file] && m.row(file).Class == Product {
			m.rows[file] = Row{file, Test, "compiled for tests alone"}
		}
	}
	roots := m.roots()
	m.settingsNamed(roots, entries)
	s := &support{m: m, g: m.imports, entries: entries, root: func(f string) bool { c := m.row(f).Class; return c == Test || c == Gate }}
	for _, module := range s.modules() {
		if strings.HasSuffix(module, "/") {
			m.support[strings.TrimSuffix(module, "/")] = true
		}
		for _, f := range s.files(module) {
			m.rows[f] = Row{f, Test, "only tests import it"}
		}
	}
	for file, why := range m.fixtures(m.roots()) {
		m.rows[file] = Row{file, Test, why}
	}
}

// roots are the files of tests and gates, sorted.
func (m *Map) roots() []string {
	var out []string
	for _, p := range m.base.Paths() {
		if c := m.row(p).Class; (c == Test || c == Gate) && !manifestName(p) {
			out = append(out, p)
		}
	}
	return out
}

// entries are the files that manifests name as a program's or a package's own.
func (m *Map) entries() map[string]bool {
	out := map[string]bool{}
	for p := range m.paths {
		if path.Base(p) != "package.json" || vendoredPath(p) {
			continue
		}
		pkg := m.reach.manifest(p)
		for _, v := range []any{pkg.Main, pkg.Module, pkg.Types, pkg.Bin, pkg.Exports, pkg.Browser} {
			for _, t := range texts(v) {
				full := path.Join(dirOf(p), t)
				for _, s := range append([]string{"", "/index.js"}, jsSuffix...) {
					out[full+s] = true
				}
			}
		}
	}
	return out
}

// steers reports whether a file that a gate reaches decides what the gate says, rather than being
// what it looks at.
func (m *Map) steers(file string, entries map[string]bool) bool {
	callers := m.reach.callers[file]
	if slices.ContainsFunc(callers, func(c caller) bool { return c.option }) {
		return true
	}
	text, _ := m.base.Read(file)
	shell := shellText(file, text)
	if !shell && !isSource(file) && !strings.HasPrefix(text, "#!") || onlyRead(callers) {
		return false
	}
	if entries[file] {
		return false
	}
	if checking(file) || toolPath(file) {
		return true
	}
	if !shell && entryName.MatchString(path.Base(file)) || productDir.MatchString(file) || len(m.imports.users[file]) > 0 {
		return false
	}
	if harness(file) || shell && m.otherLanguage() {
		return true
	}
	return slices.ContainsFunc(callers, func(c caller) bool { return c.file == "" && c.args == 0 }) && !m.calledBySuite(file)
}

// Program reports whether a gate's command runs a file of which neither the name nor a command in it
// says that it checks. It may be a judge as well as what the gate tests.
func (m *Map) Program(file string) bool {
	if m.rows[file].Class != Gate || byName(file) != nil || checking(file) || toolPath(file) || harness(file) || m.reach.judging[file] {
		return false
	}
	return !slices.ContainsFunc(m.reach.callers[file], func(c caller) bool { return c.file != "" || c.option || c.data })
}

// otherLanguage reports whether product code is written in a language other than the shell's, so
// that no script is what the tests test.
func (m *Map) otherLanguage() bool {
	for p := range m.paths {
		if isSource(p) && m.named(p) == Product && !checking(p) && !toolPath(p) {
			return true
		}
	}
	return false
}

// toolPath reports whether a file lies where the tools of a project lie.
func toolPath(file string) bool {
	return slices.ContainsFunc(toolDirs, func(d string) bool { return strings.HasPrefix(file, d+"/") })
}

func onlyRead(callers []caller) bool {
	return !slices.ContainsFunc(callers, func(c caller) bool { return !c.data })
}

func (m *Map) compared(file string) bool {
	return !isSource(file) && slices.ContainsFunc(m.reach.callers[file], func(c caller) bool { return c.data }) && !docName.MatchString(file)
}

// harness reports whether a file's name says that scripts of tests share it.
func harness(file string) bool {
	name := strings.TrimSuffix(path.Base(file), path.Ext(file))
	return supportName.MatchString(name) || slices.Contains([]string{"common", "functions", "setup", "teardown", "env", "colors", "tap", "shunit2", "framework"}, name)
}

// calledBySuite reports whether a script of the tests runs a file that a gate's command runs too.
func (m *Map) calledBySuite(file string) bool {
	for _, c := range m.reach.callers[file] {
		if c.file != "" {
			return true
		}
	}
	return false
}

// inline follows the program text in gates' commands to the scripts that it names.
func (m *Map) inline() {
	for _, code := range m.reach.inline {
		for _, l := range stringsIn(code.text) {
			if f := m.reach.file(l, place{dirs: []string{code.dir, ""}}); f != "" && checking(f) {
				m.reach.script(f, place{dirs: []string{code.dir, ""}, why: "program text in a gate's command"})
			}
		}
	}
}

// steeringKeys are the keys of manifests whose values may name files that steer tests.
var steeringKeys = []string{"jest", "mocha", "vitest", "ava", "nyc", "c8", "tap", "babel", "eslintConfig", "stylelint", "prettier"}

// settingsNamed takes the files that settings name: set-up files, reporters, transformers, bases of
// other settings.
func (m *Map) settingsNamed(roots []string, entries map[string]bool) {
	queue := slices.Clone(roots)
	for _, p := range m.base.Paths() {
		if manifestName(p) && !vendoredPath(p) {
			queue = append(queue, p)
		}
	}
	for len(queue) > 0 {
		file := queue[0]
		queue = queue[1:]
		if m.named(file) != Gate && m.rows[file].Class != Gate || path.Base(file) == "conftest.py" {
			continue
		}
		text, ok := m.base.Read(file)
		if !ok {
			continue
		}
		for _, l := range settingTexts(file, text) {
			l = strings.TrimPrefix(strings.TrimPrefix(l, "<rootDir>/"), "./")
			if l == "" || strings.ContainsAny(l, " *") {
				continue
			}
			for _, s := range []string{"", ".js", ".cjs", ".mjs", ".ts", ".json", ".py"} {
				if f := path.Join(dirOf(file), l+s); m.mayStand(f, entries) {
					m.rows[f] = Row{f, Gate, file + " names it"}
					queue = append(queue, f)
				}
			}
		}
	}
}

// mayStand reports whether a file that settings name serves the gates, rather than being what they
// look at.
func (m *Map) mayStand(file string, entries map[string]bool) bool {
	if !m.paths[file] || m.row(file).Class != Product || entries[file] || !isSource(file) && path.Ext(file) != ".json" {
		return false
	}
	if productDir.MatchString(file) && !checking(file) && !harness(file) {
		return false
	}
	return !m.imports.usedByProduct(file, m) && !entryName.MatchString(path.Base(file))
}

func (g *imports) usedByProduct(file string, m *Map) bool {
	return slices.ContainsFunc(g.users[file], func(u string) bool { return m.row(u).Class == Product })
}

// settingTexts are the strings of a settings file that may name others.
func settingTexts(file, text string) []string {
	if path.Base(file) == "package.json" {
		var doc map[string]any
		if json.Unmarshal([]byte(text), &doc) != nil {
			return nil
		}
		var out []string
		for _, key := range steeringKeys {
			out = append(out, texts(doc[key])...)
		}
		return out
	}
	if manifestName(file) && path.Base(file) != "pyproject.toml" {
		return nil
	}
	return stringsIn(text)
}

// manifestName reports whether a file is a manifest, a referee in its gate keys alone.
func manifestName(file string) bool { c := byName(file); return c != nil && c.why == manifestWhy }

// Class is the class of a path of the base, or of one that the work would add.
func (m *Map) Class(file string) Class { return m.row(file).Class }

func (m *Map) row(file string) Row {
	if r, ok := m.rows[file]; ok {
		return r
	}
	c := byName(file)
	if !m.paths[file] && (c == nil || c.class == Test) {
		if why := m.shadows(file); why != "" {
			return Row{file, Lever, why}
		}
	}
	if c != nil {
		if c.class == Gate && !m.paths[file] {
			return Row{file, Lever, c.why}
		}
		return Row{file, c.class, c.why}
	}
	if d := specDir.FindStringSubmatch(file); d != nil && m.specs[d[1]] {
		return Row{file, Test, "below a test directory"}
	}
	if m.support[dirOf(file)] && path.Ext(file) == ".go" {
		return Row{file, Test, "in a package that only tests import"}
	}
	return Row{file, Product, ""}
}

// Rows are the files of the base that are no product code, sorted by path.
func (m *Map) Rows() []Row {
	var rows []Row
	for _, p := range m.base.Paths() {
		if r := m.row(p); r.Class != Product {
			rows = append(rows, r)
		}
	}
	return rows
}

// Table is the classification by names, as docs/referee.md shows it.
func Table() []Row {
	var rows []Row
	for _, c := range conventions {
		rows = append(rows, Row{c.shown, c.class, c.why})
	}
	return rows
}

// findStacks notes the stacks whose tools gates call, and where a gate calls something unknown,
// those of the tree.
func (m *Map) findStacks() {
	for tool := range m.reach.tools {
		if s := stackOf(tool); s != "" {
			m.stacks[s] = true
		} else if s := stackOf(stripVersion(tool)); s != "" {
			m.stacks[s] = true
		}
	}
	for file := range m.reach.files {
		switch {
		case hasSuffix(file, jsSuffix):
			m.stacks["js"] = true
		case hasSuffix(file, pySuffix):
			m.stacks["py"] = true
		}
	}
	if !m.reach.opaque && len(m.gates) > 0 {
		return
	}
	for p := range m.paths {
		for _, s := range []struct{ stack, name string }{
			{"go", "go.mod"},
			{"js", "package.json"},
			{"py", "pyproject.toml"},
			{"py", "setup.py"},
			{"py", "setup.cfg"},
			{"rust", "Cargo.toml"},
			{"make", "Makefile"},
			{"just", "justfile"},
			{"java", "pom.xml"},
			{"ruby", "Gemfile"},
			{"php", "composer.json"},
			{"java", "build.gradle"},
		} {
			if path.Base(p) == s.name && !vendoredPath(p) {
				m.stacks[s.stack] = true
			}
		}
		if path.Ext(p) == ".py" && m.named(p) == Test {
			m.stacks["py"] = true
		}
	}
}

func stripVersion(tool string) string { return strings.TrimRight(tool, "0123456789.") }
