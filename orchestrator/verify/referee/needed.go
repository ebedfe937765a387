package referee

import (
	"maps"
	"path"
	"slices"
	"strings"

	"autobuild/orchestrator/verify/referee/gate"
	"autobuild/orchestrator/verify/testunit"
)

// Needed says why the referee run is needed; empty: it is not. before is the outcome of the gates
// on the base, now on the work; passing tests are compared by name where a runner prints names.
func (m *Map) Needed(edits []Edit, before, now Outcome) string {
	blind := now.Passing == nil || before.Passing == nil
	for _, e := range edits {
		class := m.Class(e.Path)
		if why := m.neededFor(e, class, edits, blind); why != "" {
			return why
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before.Passing)) {
		if scope, test, _ := strings.Cut(name, "::"); !now.Passing[name] && !now.sawWhole(scope) {
			return test + " passed on the base and was not seen passing"
		}
	}
	return ""
}

func (m *Map) neededFor(e Edit, class Class, edits []Edit, blind bool) string {
	switch class {
	case Vendored, Product:
		if _, ok := m.composeFile(e, edits); ok {
			return e.Path + " has a part that judges"
		}
	case Gate, Lever:
		changes := m.fileChanges(e, edits)
		stronger := e.OldMode != "" && judgesMore(changes)
		if !settled(changes) || stronger && (e.NewMode != "" || !m.unread(e.Path)) {
			return e.Path + " steers a gate"
		}
	case Test:
		switch {
		case blind:
			return e.Path + " is a test, and no runner names what passed"
		case m.strangeMode(e, class) != "":
			return e.Path + " is a link"
		case m.testLever(e) != "":
			return e.Path + ": " + m.testLever(e)
		case e.OldMode == "" && m.plainTest(e) && m.apart(e.Path):
		case e.OldMode == "":
			return e.Path + " is new, and runs with the base's tests or is no plain one"
		case e.NewMode == "":
			return e.Path + " is gone"
		case e.Unread || e.Old != e.New || e.OldMode != e.NewMode:
			return e.Path + " was changed"
		}
	}
	return ""
}

// apart reports whether the runner isolates a test file (own process or own module registry), so
// that it cannot affect the base's tests.
func (m *Map) apart(file string) bool {
	switch {
	case isGoTest(file): // one process a package
		return !slices.ContainsFunc(m.base.Paths(), func(p string) bool {
			return isGoTest(p) && path.Dir(p) == path.Dir(file)
		})
	case gate.HasSuffix(file, gate.JSSuffix):
		return !m.reach.Tools["mocha"] && !m.reach.Tools["ava"] && !m.reach.Tools["jasmine"] &&
			!m.reach.Tools["tape"]
	case path.Ext(file) == ".rs":
		return strings.HasPrefix(file, "tests/") || strings.Contains(file, "/tests/")
	}
	return path.Ext(file) == ".bats" || !gate.IsSource(file) && !gate.IsShell(file)
}

// plainTest reports whether a new file is a test by its name and holds tests, or data beside tests.
func (m *Map) plainTest(e Edit) bool {
	c := byName(e.Path)
	if c == nil || c.class != Test || path.Ext(e.Path) == ".snap" {
		return false
	}
	if !runs(e) {
		return true
	}
	return slices.ContainsFunc(testunit.Units(e.Path, e.New),
		func(u testunit.Unit) bool { return !u.Shared && u.Name != "" })
}

var scriptSuffixes = []string{".sh", ".bash", ".zsh", ".bats", ".pl", ".t", ".ps1", ".mk"}

// runs reports whether a new file may be run: by its suffix, its mode, or its first line.
func runs(e Edit) bool {
	return gate.IsSource(e.Path) || slices.Contains(scriptSuffixes, path.Ext(e.Path)) ||
		e.NewMode == "100755" || strings.HasPrefix(e.New, "#!")
}

// within reports whether all lines of a text stand in another, in their order.
func within(old, now string) bool {
	lines := strings.Split(now, "\n")
	for line := range strings.Lines(old) {
		text := strings.TrimSpace(line)
		if text == "" {
			continue
		}
		i := slices.IndexFunc(lines, func(l string) bool { return strings.TrimSpace(l) == text })
		if i < 0 {
			return false
		}
		lines = lines[i+1:]
	}
	return true
}
