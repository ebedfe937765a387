package referee

import (
	"path"
	"slices"
	"strings"

	"autobuild/orchestrator/verify/referee/gate"
	"autobuild/orchestrator/verify/testunit"
	"autobuild/state"
)

// Compose are the changes over the work's tree that make it the referee run's: the base's referee
// files and none of the work's own. A file of gates that only became stricter stays as it is; of
// one that is both a manifest and a gate, the base's gate keys are put into the work's file.
func (m *Map) Compose(edits []Edit) []Overlay {
	var out []Overlay
	for _, e := range edits {
		if o, ok := m.composeFile(e, edits); ok {
			out = append(out, o)
		}
	}
	return out
}

func (m *Map) composeFile(e Edit, edits []Edit) (Overlay, bool) {
	restore := Overlay{Path: e.Path, Mode: e.OldMode, Base: e.OldMode != ""}
	class := m.Class(e.Path)
	if m.strangeMode(e, class) != "" {
		return restore, true
	}
	switch class {
	case Product:
		if m.waits(e) || e.OldMode == "" && buildProgram(e.Path) {
			return restore, true
		}
		return m.composeInline(e)
	case Vendored:
		return restore, m.vendoredLever(e) != ""
	case Test:
		return restore, e.OldMode != "" || !m.neededByProduct(e, edits)
	}
	if e.NewMode == "" {
		return restore, !m.unread(e.Path)
	}
	if changes := m.fileChanges(e, edits); settled(changes) {
		// An added command may run a new test, which is not there. A manifest is the product's too.
		_, reached := m.reach.Files[e.Path]
		if manifestName(e.Path) && e.OldMode != "" && !e.Unread && judgesMore(changes) {
			if text, ok := m.hybrid(e); ok {
				return Overlay{Path: e.Path, Mode: e.NewMode, Content: text}, true
			}
		}
		return restore, reached && e.OldMode != "" && !manifestName(e.Path)
	}
	if e.Unread {
		return restore, true
	}
	if text, ok := m.hybrid(e); ok {
		return Overlay{Path: e.Path, Mode: e.NewMode, Content: text}, true
	}
	return restore, true
}

// hybrid is the work's manifest with the base's gate keys; false where it cannot be made.
func (m *Map) hybrid(e Edit) (string, bool) {
	if e.OldMode == modeLink || e.NewMode == modeLink {
		return "", false
	}
	return m.reach.Hybrid(e.Path, e.Old, e.New)
}

// judgesMore reports whether a change could change a verdict.
func judgesMore(changes []state.RefereeChange) bool {
	return slices.ContainsFunc(changes,
		func(c state.RefereeChange) bool { return c.What != unreadKeys })
}

// settled reports whether all changes of a file are recorded, so that the work's file may stay.
func settled(changes []state.RefereeChange) bool {
	return !slices.ContainsFunc(changes,
		func(c state.RefereeChange) bool { return c.Ruling != state.RulingRecorded })
}

// neededByProduct reports whether product code of the work imports a new file that lies below a
// test directory.
func (m *Map) neededByProduct(e Edit, edits []Edit) bool {
	if c := byName(e.Path); c != nil && c.why == testNameWhy || !gate.IsSource(e.Path) {
		return false
	}
	for _, other := range edits {
		if other.NewMode == "" || m.Class(other.Path) != Product {
			continue
		}
		for _, module := range m.importsOf(other.Path, other.New) {
			if module == e.Path || module == goUnit(e.Path) ||
				strings.TrimSuffix(e.Path, path.Ext(e.Path)) == strings.TrimSuffix(module,
					path.Ext(module)) {
				return true
			}
		}
	}
	return false
}

// importsOf are the modules that a text would import, of the tree or not there yet.
func (m *Map) importsOf(file, text string) []string {
	var out []string
	switch {
	case gate.HasSuffix(file, gate.JSSuffix):
		for _, spec := range jsImports(text) {
			if strings.HasPrefix(spec, ".") {
				out = append(out, path.Join(gate.DirOf(file), spec))
			}
		}
	case gate.HasSuffix(file, gate.PythonSuffix):
		for _, i := range pyImports(text) {
			dir, name := "", strings.ReplaceAll(i.name, ".", "/")
			if i.level > 0 {
				dir = gate.DirOf(file)
			}
			out = append(out, path.Join(dir, name))
			for _, n := range i.names {
				out = append(out, path.Join(dir, name, n))
			}
		}
	case path.Ext(file) == ".go":
		for _, l := range gate.Literals(text) {
			if unit := m.imports.resolveGo(l); unit != "" {
				out = append(out, unit)
			}
		}
	}
	return out
}

// composeInline puts the base's tests within product code into the work's file: Rust's #[cfg(test)]
// modules.
func (m *Map) composeInline(e Edit) (Overlay, bool) {
	if path.Ext(e.Path) != ".rs" || e.OldMode == "" || e.NewMode == "" || e.Unread {
		return Overlay{}, false
	}
	old, now := inlineTests(e.Old), inlineTests(e.New)
	if len(old) == 0 || slices.Equal(blocks(e.Old, old), blocks(e.New, now)) {
		return Overlay{}, false
	}
	text := replaceInline(e.New, now, blocks(e.Old, old))
	return Overlay{Path: e.Path, Mode: e.NewMode, Content: text}, text != e.New
}

// replaceInline takes the inline tests out of a text and appends others.
func replaceInline(text string, at [][2]int, tests []string) string {
	for i := len(at) - 1; i >= 0; i-- {
		text = text[:at[i][0]] + text[at[i][1]:]
	}
	return strings.TrimRight(text, "\n") + "\n\n" + strings.Join(tests, "\n\n") + "\n"
}

func blocks(text string, at [][2]int) []string {
	var out []string
	for _, b := range at {
		out = append(out, strings.TrimSpace(text[b[0]:b[1]]))
	}
	return out
}

// inlineTests are the places of the modules that Rust compiles for tests alone.
func inlineTests(text string) [][2]int {
	masked := testunit.Mask("x.rs", text)
	var out [][2]int
	for at := 0; ; {
		i := strings.Index(masked[at:], "#[cfg(")
		if i < 0 {
			return out
		}
		start := at + i
		at = start + 1
		end := strings.IndexByte(masked[start:], ']')
		if end < 0 || !strings.Contains(masked[start:start+end], "test") ||
			strings.Contains(masked[start:start+end], "not(") {
			continue
		}
		open := strings.IndexAny(masked[start+end:], "{;")
		if open < 0 || masked[start+end+open] == ';' ||
			!strings.Contains(" "+gate.OneSpace(masked[start+end:start+end+open])+" ", "mod ") {
			continue
		}
		depth := 0
		for j := start + end + open; j < len(masked); j++ {
			if masked[j] == '{' {
				depth++
			}
			if masked[j] == '}' {
				if depth--; depth == 0 {
					out = append(out, [2]int{start, j + 1})
					at = j + 1
					break
				}
			}
		}
	}
}

// environmentFiles say which packages there are; the work's tests may need them.
var environmentFiles = []string{
	"go.mod", "go.sum", "go.work", "package.json", "package-lock.json", "npm-shrinkwrap.json",
	"yarn.lock", "pnpm-lock.yaml", "bun.lock",
	"bun.lockb", "pyproject.toml", "setup.cfg", "poetry.lock", "uv.lock", "Pipfile", "Pipfile.lock",
	"requirements.txt", "Cargo.toml",
	"Cargo.lock", "Gemfile", "Gemfile.lock", "composer.json", "composer.lock", "conftest.py",
}

// ComposeProof are the changes over the base's tree that put the work's tests to it, with what they
// use; none: the work added and changed no test.
func (m *Map) ComposeProof(edits []Edit) []Overlay {
	var out []Overlay
	tests := false
	for _, e := range edits {
		switch class := m.Class(e.Path); {
		case e.Unread, e.NewMode == modeLink, e.NewMode == modeModule:
		case class == Test && e.NewMode == "":
			out = append(out, Overlay{Path: e.Path})
		case class == Test:
			tests = true
			out = append(out, Overlay{Path: e.Path, Mode: e.NewMode, Content: e.New})
		case class == Gate && m.testScript(e):
			tests = true
			out = append(out, Overlay{Path: e.Path, Mode: e.NewMode, Content: e.New})
		case class == Product && path.Ext(e.Path) == ".rs" && e.OldMode != "" && e.NewMode != "":
			old, now := inlineTests(e.Old), inlineTests(e.New)
			if len(now) > 0 && !slices.Equal(blocks(e.Old, old), blocks(e.New, now)) {
				tests = true
				out = append(out,
					Overlay{
						Path: e.Path, Mode: e.NewMode,
						Content: replaceInline(e.Old, old, blocks(e.New, now)),
					})
			}
		case e.NewMode != "" && slices.Contains(environmentFiles, path.Base(e.Path)) &&
			class != Vendored:
			out = append(out, Overlay{Path: e.Path, Mode: e.NewMode, Content: e.New})
		}
	}
	if !tests {
		return nil
	}
	return out
}

// testScript reports whether a file that a gate reaches is itself a script of tests.
func (m *Map) testScript(e Edit) bool {
	return e.NewMode != "" && e.Old != e.New && (m.named(e.Path) == Test || gate.IsShell(e.Path) &&
		gate.SaysCheck(e.Path))
}
