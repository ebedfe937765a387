package referee

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"autobuild/orchestrator/verify/referee/gate"
	"autobuild/state"
)

// Map holds the classes of the files of one tree for the gates of one phase.
type Map struct {
	base    Source
	paths   map[string]bool // of the base
	rows    map[string]Row  // of files that contents classify, by path
	specs   map[string]bool // directories named spec that hold tests
	support map[string]bool // directories of Go packages that are there for tests alone
	reach   *gate.Reach
	imports *imports
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
		base: base, rows: map[string]Row{}, specs: map[string]bool{}, support: map[string]bool{},
	}
	m.reach = gate.Follow(base, gates, func(file string) bool { return m.named(file) == Test })
	m.paths = m.reach.Paths
	for p := range m.paths {
		if d := specDir.FindStringSubmatch(p); d != nil && m.named(p) == Test {
			m.specs[d[1]] = true
		}
	}
	m.imports = readImports(base, m.paths)
	m.classify()
	return m
}

// Reached reports whether a gate's command leads to a file: it runs it, or reads it.
func (m *Map) Reached(file string) bool {
	_, ok := m.reach.Files[file]
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
	for _, file := range slices.Sorted(maps.Keys(m.reach.Files)) {
		why := m.reach.Files[file]
		switch {
		case gate.InVendor(file):
		case m.named(file) == Gate:
			m.rows[file] = Row{file, Gate, why}
		case m.named(file) == Test || m.row(file).Class == Test:
			if text, ok := m.base.Read(file); ok && gate.ShellText(file, text) {
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
	s := &support{
		m: m, g: m.imports, entries: entries,
		root: func(f string) bool { c := m.row(f).Class; return c == Test || c == Gate },
	}
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
		if path.Base(p) != "package.json" || gate.InVendor(p) {
			continue
		}
		for _, t := range m.reach.Entries(p) {
			full := path.Join(gate.DirOf(p), t)
			for _, s := range append([]string{"", "/index.js"}, gate.JSSuffix...) {
				out[full+s] = true
			}
		}
	}
	return out
}

// steers reports whether a file that a gate reaches decides what the gate says, rather than being
// what it looks at.
func (m *Map) steers(file string, entries map[string]bool) bool {
	callers := m.reach.Callers[file]
	if slices.ContainsFunc(callers, func(c gate.Caller) bool { return c.Option }) {
		return true
	}
	text, _ := m.base.Read(file)
	shell := gate.ShellText(file, text)
	if !shell && !gate.IsSource(file) && !strings.HasPrefix(text, "#!") || onlyRead(callers) {
		return false
	}
	if entries[file] {
		return false
	}
	if gate.SaysCheck(file) || gate.ToolPath(file) {
		return true
	}
	if !shell && entryName.MatchString(path.Base(file)) || productDir.MatchString(file) ||
		len(m.imports.users[file]) > 0 {
		return false
	}
	if harness(file) || shell && m.otherLanguage() {
		return true
	}
	return slices.ContainsFunc(callers, func(c gate.Caller) bool {
		return c.File == "" && c.Args == 0
	}) && !m.calledBySuite(file)
}

// Program reports whether a gate's command runs a file of which neither the name nor a command in
// it says that it checks. It may be a judge as well as what the gate tests.
func (m *Map) Program(file string) bool {
	if m.rows[file].Class != Gate || byName(file) != nil || gate.SaysCheck(file) ||
		gate.ToolPath(file) || harness(file) || m.reach.Checks[file] {
		return false
	}
	return !slices.ContainsFunc(m.reach.Callers[file],
		func(c gate.Caller) bool { return c.File != "" || c.Option || c.Data })
}

// otherLanguage reports whether product code is written in a language other than the shell's, so
// that the tests do not test a script.
func (m *Map) otherLanguage() bool {
	for p := range m.paths {
		if gate.IsSource(p) && m.named(p) == Product && !gate.SaysCheck(p) && !gate.ToolPath(p) {
			return true
		}
	}
	return false
}

func onlyRead(callers []gate.Caller) bool {
	return !slices.ContainsFunc(callers, func(c gate.Caller) bool { return !c.Data })
}

func (m *Map) compared(file string) bool {
	return !gate.IsSource(file) && slices.ContainsFunc(m.reach.Callers[file],
		func(c gate.Caller) bool { return c.Data }) && !docName.MatchString(file)
}

// harness reports whether a file's name says that scripts of tests share it.
func harness(file string) bool {
	name := strings.TrimSuffix(path.Base(file), path.Ext(file))
	return supportName.MatchString(name) ||
		slices.Contains([]string{
			"common", "functions", "setup", "teardown", "env", "colors", "tap",
			"shunit2", "framework",
		}, name)
}

// calledBySuite reports whether a script of the tests runs a file that a gate's command runs too.
func (m *Map) calledBySuite(file string) bool {
	for _, c := range m.reach.Callers[file] {
		if c.File != "" {
			return true
		}
	}
	return false
}

// settingsNamed takes the files that settings name: set-up files, reporters, transformers, bases of
// other settings.
func (m *Map) settingsNamed(roots []string, entries map[string]bool) {
	queue := slices.Clone(roots)
	for _, p := range m.base.Paths() {
		if manifestName(p) && !gate.InVendor(p) {
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
				if f := path.Join(gate.DirOf(file), l+s); m.mayStand(f, entries) {
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
	if !m.paths[file] || m.row(file).Class != Product || entries[file] || !gate.IsSource(file) &&
		path.Ext(file) != ".json" {
		return false
	}
	if productDir.MatchString(file) && !gate.SaysCheck(file) && !harness(file) {
		return false
	}
	return !m.imports.usedByProduct(file, m) && !entryName.MatchString(path.Base(file))
}

func (g *imports) usedByProduct(file string, m *Map) bool {
	return slices.ContainsFunc(g.users[file],
		func(u string) bool { return m.row(u).Class == Product })
}

// settingTexts are the strings of a settings file that may name others.
func settingTexts(file, text string) []string {
	if path.Base(file) == "package.json" {
		var doc map[string]any
		if json.Unmarshal([]byte(text), &doc) != nil {
			return nil
		}
		var out []string
		for _, key := range gate.RunnerKeys {
			out = append(out, gate.StringsOf(doc[key])...)
		}
		return out
	}
	if path.Base(file) == "pyproject.toml" {
		return gate.ToolSettings(text)
	}
	if manifestName(file) {
		return nil
	}
	return gate.Literals(text)
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
	if m.support[gate.DirOf(file)] && path.Ext(file) == ".go" {
		return Row{file, Test, "in a package that only tests import"}
	}
	return Row{file, Product, ""}
}

// Table is the classification by names, as docs/referee.md shows it.
func Table() []Row {
	var rows []Row
	for _, c := range conventions {
		rows = append(rows, Row{c.shown, c.class, c.why})
	}
	return rows
}
