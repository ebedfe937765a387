package referee

import (
	"path"
	"slices"
	"strings"

	"autobuild/orchestrator/verify/referee/gate"
)

// mentioned returns the gate file or test of the base that names a new file before it exists;
// empty: none. The referee run does not treat such a file as product code, for any suffix. A
// command that names it fails on the base, and judges nothing.
func (m *Map) mentioned(e Edit) string {
	if e.OldMode != "" || e.NewMode == "" {
		return ""
	}
	name := path.Base(e.Path)
	if len(name) < 4 || m.basenames()[name] {
		return "" // a short word, or the name of another file that is meant
	}
	for _, text := range m.judging() {
		if holdsName(text.body, name) {
			return text.file
		}
	}
	return ""
}

type judgingText struct{ file, body string }

// judging are the texts of the base's gate files and tests, read once.
func (m *Map) judging() []judgingText {
	if m.texts == nil {
		m.texts = []judgingText{}
		for _, p := range m.base.Paths() {
			if c := m.Class(p); c != Gate && c != Test || gate.InVendor(p) {
				continue
			}
			if body, ok := m.base.Read(p); ok {
				m.texts = append(m.texts, judgingText{p, body})
			}
		}
	}
	return m.texts
}

func (m *Map) basenames() map[string]bool {
	if m.names == nil {
		m.names = map[string]bool{}
		for p := range m.paths {
			m.names[path.Base(p)] = true
		}
	}
	return m.names
}

// holdsName reports whether a text holds a file's name as a whole.
func holdsName(text, name string) bool {
	for rest := text; ; {
		i := strings.Index(rest, name)
		if i < 0 {
			return false
		}
		end := i + len(name)
		if (i == 0 || !nameByte(rest[i-1])) && (end == len(rest) || !nameByte(rest[end])) {
			return true
		}
		rest = rest[end:]
	}
}

func nameByte(b byte) bool {
	return b == '_' || b == '-' || b == '.' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' ||
		b >= 'A' && b <= 'Z' || b >= 0x80
}

// waits reports whether the gates of the base take a new file by a pattern or by its name.
func (m *Map) waits(e Edit) bool {
	return e.OldMode == "" && (m.pattern(e) != "" || m.mentioned(e) != "")
}

// programsOfBuilds run before anything is built, and may write to it.
var programsOfBuilds = []string{"build.rs"}

func buildProgram(file string) bool { return slices.Contains(programsOfBuilds, path.Base(file)) }
