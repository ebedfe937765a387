package referee

import (
	"path"
	"slices"
	"strings"

	"autobuild/orchestrator/verify/testunit"
)

// Needed says why the referee run is needed; empty: it is not. Before is what the gates showed on the base, now on the
// work; tests are seen passing by their names where a runner tells them.
func (m *Map) Needed(edits []Edit, before, now Outcome) string {
	blind := now.Passing == nil || before.Passing == nil
	for _, e := range edits {
		class := m.Class(e.Path)
		if why := m.neededFor(e, class, edits, blind); why != "" {
			return why
		}
	}
	for _, name := range slices.Sorted(slices.Values(keysOf(before.Passing))) {
		if !now.Passing[name] {
			_, test, _ := strings.Cut(name, "::")
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
		if changes := m.fileChanges(e, edits); !settled(changes) || e.NewMode == "" && len(changes) > 0 && !m.unread(e.Path) {
			return e.Path + " steers a gate"
		}
	case Test:
		switch {
		case blind:
			return e.Path + " is a test, and no runner names what passed"
		case m.strangeMode(e, class) != "":
			return e.Path + " is a link"
		case testLever(e) != "":
			return e.Path + ": " + testLever(e)
		case e.OldMode == "" && m.plainTest(e):
		case e.OldMode == "":
			return e.Path + " is new and no plain test"
		case e.NewMode == "":
			return e.Path + " is gone"
		case e.Unread || !onlyAdds(m, e):
			return e.Path + " was changed"
		}
	}
	return ""
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
	return slices.ContainsFunc(testunit.Units(e.Path, e.New), func(u testunit.Unit) bool { return !u.Shared && u.Name != "" })
}

var scriptSuffixes = []string{".sh", ".bash", ".zsh", ".bats", ".pl", ".t", ".ps1", ".mk"}

// runs reports whether a new file may be run: by its suffix, its mode, or its first line.
func runs(e Edit) bool {
	return isSource(e.Path) || slices.Contains(scriptSuffixes, path.Ext(e.Path)) || e.NewMode == "100755" || strings.HasPrefix(e.New, "#!")
}

// onlyAdds reports whether a file of tests has every line that it had, in order, and no new part that all its tests share.
func onlyAdds(m *Map, e Edit) bool {
	if e.Old == e.New {
		return e.OldMode == e.NewMode
	}
	if !within(e.Old, e.New) {
		return false
	}
	olds, news := unitsIn(m, e.Path, e.Old, e.OldMode, false), unitsIn(m, e.Path, e.New, e.NewMode, false)
	if len(olds) == 1 && olds[0].Shared || len(olds) == 0 {
		return false // a helper or a fixture
	}
	// What stands between the lines of an old test may end it, and a new part that all tests share may alter them.
	return !slices.ContainsFunc(news, func(u testunit.Unit) bool {
		i := slices.IndexFunc(olds, func(o testunit.Unit) bool { return o.Name == u.Name && o.Shared == u.Shared })
		switch {
		case i < 0:
			return u.Shared && path.Ext(e.Path) != ".go"
		case u.Shared && u.Name == "":
			return !addsImports(olds[i], u)
		}
		return u.Body() != olds[i].Body() || u.Skip != olds[i].Skip
	})
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

// addsImports reports whether the shared part of a file only gained imports.
func addsImports(old, now testunit.Unit) bool {
	gone, added := changedLines(old.Lines, now.Lines)
	return len(gone) == 0 && !slices.ContainsFunc(added, func(l string) bool {
		for _, p := range []string{"import ", "from ", "use ", "const ", `"`} {
			if strings.HasPrefix(l, p) && !strings.Contains(l, "=>") && !strings.Contains(l, "function") {
				return false
			}
		}
		return true
	})
}
