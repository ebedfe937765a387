package referee

import (
	"path"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/orchestrator/verify/referee/gate"
)

var (
	// supportName is a part of a path that says that a module serves tests.
	supportName = lazyregexp.New(
		`(?i)^(?:_?test(?:s|ing|util\w*|help\w*|support|kit|case\w*|lib|data|suite)?|[a-z]+test|[\w-]*(?:fixtures?|mocks?|fakes?|stubs?|harness|golden)|` +
			`(?:test|spec)[_-].*|.*[_-]tests?(?:ing)?|(?:[\w-]+[_-])?(?:helpers?|asserts?|assertions?|matchers?|factories|expect(?:ations?)?)|check(?:s|ers?)?)$`)
	// productDir is a directory of product code by convention.
	productDir = lazyregexp.New(
		`^(?:.*/)?(?:src|lib|app|apps|cmd|pkg|source|sources|server|client|api|core)/`)
	// entryName is the name of a program's or a package's entry.
	entryName = lazyregexp.New(
		`^(?:(?:index|main|app|cli|server|mod|lib|__init__|__main__)\.\w+|(?:setup|manage|wsgi|asgi)\.py)$`)
	testMark = lazyregexp.New(`(?i)(?:^tests?[._-]?|[._-]?(?:tests?|specs?|cy|e2e)$)`)
)

// support classifies modules that only tests and gates import.
type support struct {
	m       *Map
	g       *imports
	root    func(file string) bool // a test, or what a gate runs
	entries map[string]bool
	found   map[string]bool
}

// modules are the files, and the directories of Go, that are there for tests alone.
func (s *support) modules() []string {
	var candidates []string
	for module := range s.g.users {
		if s.candidate(module) {
			candidates = append(candidates, module)
		}
	}
	slices.Sort(candidates)
	s.found = map[string]bool{}
	for _, c := range candidates {
		s.found[c] = true
	}
	for changed := true; changed; {
		changed = false
		for _, c := range candidates {
			if s.found[c] && !s.alone(c) {
				delete(s.found, c)
				changed = true
			}
		}
	}
	return slices.DeleteFunc(candidates, func(c string) bool { return !s.found[c] })
}

// files are those of a module.
func (s *support) files(module string) []string {
	if !strings.HasSuffix(module, "/") {
		return []string{module}
	}
	var out []string
	for p := range s.m.paths {
		if goUnit(p) == module && path.Ext(p) == ".go" {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}

func (s *support) candidate(module string) bool {
	if strings.HasSuffix(module, "/") {
		return !s.root(module + "x.go")
	}
	return gate.IsSource(module) && !s.root(module) && !s.entries[module] && !gate.InVendor(module)
}

// alone reports whether tests, gates and their helpers are all that imports a module, and that it
// is no test's subject.
func (s *support) alone(module string) bool {
	signal := s.signal(module)
	if strings.HasSuffix(module, "/") && !signal &&
		(s.public(module) || slices.ContainsFunc(s.files(module), isGoTest)) {
		return false // files that others import, or with tests of their own
	}
	roots, related := 0, 0
	for _, user := range s.g.users[module] {
		if goUnit(user) == module {
			continue
		}
		if !s.root(user) {
			if !s.found[user] && (path.Ext(user) != ".go" || !s.found[goUnit(user)]) {
				return false // product code uses it
			}
			continue
		}
		roots++
		if related += s.relation(user, module); !signal && s.subject(user, module) == "" {
			return false
		}
	}
	if signal {
		return roots == 0 || related < roots
	}
	if entryName.MatchString(path.Base(module)) || productDir.MatchString(module) ||
		gate.DirOf(strings.TrimSuffix(module, "/")) == "" && !strings.HasSuffix(module, "/") {
		return false
	}
	return roots > 0
}

func isGoTest(file string) bool { return strings.HasSuffix(file, "_test.go") }

// public reports whether a Go package may be there for other modules: it is not internal, and the
// tree has no program.
func (s *support) public(module string) bool {
	if strings.Contains("/"+module, "/internal/") {
		return false
	}
	for p := range s.m.paths {
		if path.Ext(p) == ".go" && (path.Base(p) == "main.go" || strings.HasPrefix(p, "cmd/")) &&
			s.m.named(p) == Product {
			return false
		}
	}
	return true
}

// relation is 1 where a test is that of a module by name.
func (s *support) relation(test, module string) int {
	if strings.HasSuffix(module, "/") {
		return 0
	}
	base := strings.TrimSuffix(path.Base(module), path.Ext(module))
	if base == "index" || base == "__init__" {
		base = path.Base(gate.DirOf(module))
	}
	if squeeze(testMark.ReplaceAllString(plainName(test), "")) == squeeze(base) {
		return 1
	}
	return 0
}

// plainName is a file's name without its suffix and those for tests.
func plainName(file string) string {
	base := path.Base(file)
	base = strings.TrimSuffix(base, path.Ext(base))
	for {
		short := testMark.ReplaceAllString(base, "")
		if short == base || short == "" {
			return base
		}
		base = short
	}
}

func squeeze(s string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "", ".", "").Replace(s))
}

// signal reports whether a module says by its name or its imports that it serves tests.
func (s *support) signal(module string) bool {
	if s.g.testing[module] {
		return true
	}
	parts := strings.Split(strings.TrimSuffix(module, "/"), "/")
	for i, part := range parts {
		if i == len(parts)-1 {
			part = strings.TrimSuffix(part, path.Ext(part))
		}
		if supportName.MatchString(part) {
			return true
		}
	}
	return false
}

// subject is the code under test other than the module: files that product code uses, a file with
// the test's name, or in Go the package beside the test.
func (s *support) subject(test, module string) string {
	if strings.HasSuffix(test, "_test.go") && goUnit(test) != module &&
		slices.ContainsFunc(s.files(goUnit(test)),
			func(f string) bool { return !strings.HasSuffix(f, "_test.go") }) {
		return goUnit(test)
	}
	for _, other := range s.g.uses[test] {
		if other == module || !strings.HasSuffix(other, "/") &&
			gate.DirOf(other) == gate.DirOf(module) && !s.signal(module) {
			continue
		}
		if s.entries[other] || s.relation(test, other) == 1 ||
			slices.ContainsFunc(s.g.users[other], func(u string) bool { return !s.root(u) }) {
			return other
		}
	}
	return ""
}

// fixtureDir is a directory whose content tests read.
var fixtureDir = lazyregexp.New(
	`(?i)^(?:[\w-]*(?:fixtures?|goldens?|snapshots?|cassettes?|mocks?|stubs?)|expected|samples?|` +
		`(?:test)?cases|corpus|vectors|seed[_-]corpus|approvals?|expectations?)$`)

// docName is a file for readers, even if tests check its content.
var docName = lazyregexp.New(
	`(?i)(?:^|/)(?:docs?|documentation|\.github)/|(?:^|/)(?:readme|license|licence|changelog|contributing|notice|authors)[^/]*$|\.(?:md|rst|adoc|lock)$|-lock\.\w+$`)

var embedded = lazyregexp.New(`(?m)^//go:embed\s+(.*)$`)

// productNames are the last parts of all that product code names in a literal.
func (m *Map) productNames() map[string]bool {
	names := map[string]bool{}
	for p := range m.paths {
		if !gate.IsSource(p) && !gate.IsShell(p) || m.row(p).Class != Product {
			continue
		}
		text, ok := m.base.Read(p)
		if !ok {
			continue
		}
		for _, l := range gate.Literals(text) {
			for part := range strings.SplitSeq(l, "/") {
				names[part] = true
			}
		}
		for _, e := range embedded.FindAllStringSubmatch(text, -1) {
			for word := range strings.FieldsSeq(e[1]) {
				for part := range strings.SplitSeq(strings.TrimPrefix(word, "all:"), "/") {
					names[part] = true
				}
			}
		}
	}
	return names
}

// fixtures are the data files that tests name by a literal path and product code does not.
func (m *Map) fixtures(roots []string) map[string]string {
	out := map[string]string{}
	dirs := map[string]bool{}
	for p := range m.paths {
		for d := gate.DirOf(p); d != "" && !dirs[d]; d = gate.DirOf(d) {
			dirs[d] = true
		}
	}
	var names map[string]bool
	product := func(name string) bool {
		if names == nil {
			names = m.productNames()
		}
		return names[name]
	}
	for _, root := range roots {
		text, ok := m.base.Read(root)
		if !ok {
			continue
		}
		for _, l := range gate.Literals(text) {
			l = strings.TrimPrefix(l, "<rootDir>/")
			if len(l) < 3 || strings.ContainsAny(l, " *?<>|{}$\\:") || strings.HasPrefix(l, "/") {
				continue
			}
			for dir := gate.DirOf(root); ; dir = gate.DirOf(dir) {
				if m.fixture(path.Join(dir, l), root, dirs, product, out) || dir == "" {
					break
				}
			}
		}
	}
	return out
}

// forTests reports whether a data file's name or one of its directories says that it is there for
// tests. Without that it may be what they test: a page, an example, the description of an action.
func forTests(file string) bool {
	parts := strings.Split(file, "/")
	for _, dir := range parts[:len(parts)-1] {
		if fixtureDir.MatchString(dir) ||
			slices.Contains([]string{"data", "input", "inputs", "output", "outputs"}, dir) {
			return true
		}
	}
	name := strings.ToLower(parts[len(parts)-1])
	return slices.ContainsFunc([]string{
		"expect", "golden", "snapshot", "fixture", "oracle",
		"approved",
	}, func(w string) bool { return strings.Contains(name, w) })
}

// fixture takes a file, or the files of a directory, that a test names; true: there is such a path.
func (m *Map) fixture(
	full, root string, dirs map[string]bool, product func(string) bool, out map[string]string,
) bool {
	why := "only " + root + " and its like read it"
	if m.paths[full] {
		if m.row(full).Class == Product && !gate.IsSource(full) && !gate.IsShell(full) &&
			!docName.MatchString(full) && forTests(full) && !product(path.Base(full)) {
			out[full] = why
		}
		return true
	}
	if !dirs[full] {
		return false
	}
	if !fixtureDir.MatchString(path.Base(full)) || product(path.Base(full)) {
		return true
	}
	for p := range m.paths {
		if strings.HasPrefix(p, full+"/") && m.row(p).Class == Product {
			out[p] = why
		}
	}
	return true
}
