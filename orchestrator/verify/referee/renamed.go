package referee

import (
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/orchestrator/verify/testunit"
	"autobuild/state"
)

// Adapted are the edited files of tests that follow the product: something in them was adapted, or
// the base's version could not be built and nothing in them is open. With them come files that only
// moved.
func (m *Map) Adapted(changes []state.RefereeChange, edits []Edit, run Outcome) map[string]bool {
	x := newIndex(run)
	adapted, open := map[string]bool{}, map[string]bool{}
	for _, c := range changes {
		adapted[c.File] = adapted[c.File] || c.Ruling == state.RulingAdapted
		open[c.File] = open[c.File] || c.Ruling == ""
	}
	files, moved := map[string]bool{}, map[string]bool{}
	for _, e := range edits {
		moved[e.Old] = moved[e.Old] || e.OldMode != "" && e.NewMode == "" && !e.Unread
	}
	for _, e := range edits {
		unbuilt := m.Class(e.Path) == Test && e.OldMode != "" && !open[e.Path] &&
			x.broken(testunit.Unit{File: e.Path})
		if e.NewMode != "" && (adapted[e.Path] || unbuilt) {
			files[e.Path] = true
		}
	}
	for _, e := range edits {
		if len(files) > 0 && e.OldMode == "" && !e.Unread && moved[e.New] {
			files[e.Path] = true
		}
	}
	return files
}

// Builds reports whether a run could build the tests of all these files.
func Builds(run Outcome, files map[string]bool) bool {
	x := newIndex(run)
	for file := range files {
		if x.broken(testunit.Unit{File: file}) {
			return false
		}
	}
	return true
}

// Renamed records the changes of files that follow a rename of the product and differ in nothing
// else: wherever their text is another, a name that the work declares stands in the place of one
// that the product has lost, always the same for the same. Expected values stay as they were.
func (m *Map) Renamed(changes []state.RefereeChange, edits []Edit) []state.RefereeChange {
	gone, gained := namesOf(m, edits)
	if len(gone) == 0 || len(gained) == 0 {
		return changes
	}
	follows := map[string]bool{}
	for _, e := range edits {
		if e.OldMode != "" && e.OldMode == e.NewMode && !e.Unread {
			to := renames(e.Old, e.New)
			follows[e.Path] = len(to) > 0 && !slices.ContainsFunc(to, func(r rename) bool {
				return !gone[r.from] || !gained[r.to] || m.declaresAlready(r.to)
			})
		}
	}
	out := slices.Clone(changes)
	for i, c := range out {
		if c.Ruling == "" && follows[c.File] {
			out[i].Ruling = state.RulingAdapted
		}
	}
	return out
}

// rename is one name that stands in the place of another.
type rename struct{ from, to string }

var (
	wordOrNot = lazyregexp.New(`[\pL_$][\pL\pN_$]*|[^\pL_$]+`)
	wordStart = lazyregexp.New(`^[\pL_$]`)
	// quotedCode is a quoted text in which names of code stand: a path, or a command of the shell.
	quotedCode = lazyregexp.New("[`/]|\\$\\(")
)

// renames are the names in which two texts differ, where they differ in nothing else; nil: they are
// equal, differ otherwise, or not always in the same way.
func renames(old, now string) []rename {
	before, after := strings.Split(old, "\n"), strings.Split(now, "\n")
	if len(before) != len(after) {
		return nil
	}
	to, from := map[string]string{}, map[string]string{}
	var found []rename
	for i := range before {
		if before[i] == after[i] {
			continue
		}
		a, b := wordOrNot.FindAllString(before[i], -1), wordOrNot.FindAllString(after[i], -1)
		if len(a) != len(b) || valuesOf(before[i]) != valuesOf(after[i]) {
			return nil
		}
		for j := range a {
			if a[j] == b[j] {
				continue
			}
			names := wordStart.MatchString(a[j]) && wordStart.MatchString(b[j])
			if !names || to[a[j]] != "" && to[a[j]] != b[j] || from[b[j]] != "" &&
				from[b[j]] != a[j] {
				return nil
			}
			if to[a[j]] == "" {
				found = append(found, rename{a[j], b[j]})
			}
			to[a[j]], from[b[j]] = b[j], a[j]
		}
	}
	return found
}

// valuesOf are the quoted texts of a line that are no code.
func valuesOf(line string) string {
	texts := slices.DeleteFunc(inQuotes.FindAllString(line, -1), quotedCode.MatchString)
	return strings.Join(texts, "\n")
}

// declaresAlready reports whether the base's product declares a name: then it is no new one.
func (m *Map) declaresAlready(name string) bool {
	return m.inProduct(func(text string) bool {
		return strings.Contains(text, name) && slices.Contains(declarations(text), name)
	})
}
