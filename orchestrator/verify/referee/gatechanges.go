package referee

import (
	"path"
	"slices"
	"strings"

	"autobuild/orchestrator/verify/referee/gate"
	"autobuild/state"
)

// GateChanges are the changes of gates, of files that steer them and changes that could switch a
// judge off; changes of tests are TestChanges'. The ruling is empty where a change is weaker or
// unclear.
func (m *Map) GateChanges(edits []Edit) []state.RefereeChange {
	var out []state.RefereeChange
	for _, e := range edits {
		out = append(out, m.fileChanges(e, edits)...)
	}
	slices.SortStableFunc(out,
		func(a, b state.RefereeChange) int { return strings.Compare(a.File, b.File) })
	return out
}

// unreadKeys is said of a change that can change no verdict.
const unreadKeys = "comments, order or keys that no gate reads"

func (m *Map) fileChanges(e Edit, edits []Edit) []state.RefereeChange {
	lever := func(what string) []state.RefereeChange {
		return []state.RefereeChange{{Cause: state.CauseLever, File: e.Path, What: what}}
	}
	class := m.Class(e.Path)
	if what := m.strangeMode(e, class); what != "" {
		return lever(what)
	}
	if e.NewMode == "" && class != Gate {
		return nil
	}
	switch class {
	case Vendored:
		if what := m.vendoredLever(e); what != "" {
			return lever(what)
		}
	case Test:
		if what := m.testLever(e); what != "" {
			return lever(what)
		}
	case Product:
		if what := m.pattern(e); what != "" && runs(e) {
			return lever(what)
		}
		if what := m.productLever(e); what != "" {
			return lever(what)
		}
		if e.OldMode == "" && buildProgram(e.Path) && m.judges() {
			return lever("new: it runs before the tests are built")
		}
	case Lever:
		return m.newLever(e)
	case Gate:
		return m.gateFile(e, edits)
	}
	return nil
}

// strangeMode finds links and submodules where files were, or where tools could follow them.
func (m *Map) strangeMode(e Edit, class Class) string {
	switch {
	case e.NewMode == e.OldMode && e.New == e.Old, e.NewMode != modeLink && e.NewMode != modeModule:
		return ""
	case e.NewMode == modeModule && e.OldMode == modeModule:
		if m.holdsReferee(e.Path) {
			return "a submodule with tests points to another commit"
		}
		return ""
	case e.NewMode == modeModule:
		return "a submodule: its files are not part of the tree"
	case class == Test || class == Gate || class == Lever || m.holdsReferee(e.Path):
		return "a link to " + gate.Clip(e.New) + " stands for a file that judges"
	case strings.HasPrefix(e.New, "/") || strings.HasPrefix(path.Join(gate.DirOf(e.Path), e.New),
		".."):
		return "a link out of the tree, to " + gate.Clip(e.New)
	case m.Class(path.Join(gate.DirOf(e.Path), e.New)) != Product,
		m.holdsReferee(path.Join(gate.DirOf(e.Path), e.New)):
		return "a link to " + gate.Clip(e.New) + ", which judges"
	}
	return ""
}

// holdsReferee reports whether files of the base below a path judge.
func (m *Map) holdsReferee(dir string) bool {
	for p := range m.paths {
		if strings.HasPrefix(p, dir+"/") {
			if c := m.row(p).Class; c == Test || c == Gate {
				return true
			}
		}
	}
	return false
}

// pattern finds a new file that a loop of a gate picks up.
func (m *Map) pattern(e Edit) string {
	if e.OldMode != "" {
		return ""
	}
	for glob, why := range m.reach.Globs {
		if ok, _ := path.Match(glob, e.Path); ok && !gate.IsSource(e.Path) {
			return "a gate takes it by the pattern " + glob + " (" + why + ")"
		}
	}
	return ""
}

// newLever rules a new file that could steer a gate: harmless where no gate's tool reads it.
func (m *Map) newLever(e Edit) []state.RefereeChange {
	c := state.RefereeChange{
		Cause: state.CauseLever, File: e.Path,
		What: "new: " + m.row(e.Path).Why,
	}
	record := func(what string) []state.RefereeChange {
		c.Ruling, c.Cause, c.What = state.RulingRecorded, state.CauseStronger, "new: "+what
		return []state.RefereeChange{c}
	}
	stack := gate.ConfigStack(e.Path)
	switch {
	case stack != "" && !m.reach.Stacks[stack]:
		return record("no gate of the base reads it")
	case !m.judges():
		return record("the base has neither tests nor gates of its own")
	case path.Base(e.Path) == "conftest.py" && plainFixtures("", e.New):
		return record("fixtures alone")
	case path.Base(e.Path) == ".gitattributes" && gate.PlainAttributes("", e.New):
		return record("attributes that leave contents as they are")
	}
	if manifestName(e.Path) && gate.Mixed(e.Path) {
		if m.reach.NoGateKeys(e.Path, e.New) && !m.cutsOff(e.Path) {
			return record("it has no key that a gate reads")
		}
	} else if manifestName(e.Path) && path.Base(e.Path) != "go.mod" && !m.cutsOff(e.Path) {
		return record("a manifest of new code")
	} else if path.Base(e.Path) == "go.mod" && !m.cutsOff(e.Path) && gate.PlainModule(e.New) {
		return record("a module of new code")
	}
	return []state.RefereeChange{c}
}

// judges reports whether the base has anything that judges: tests, or files that a gate reaches.
func (m *Map) judges() bool {
	if len(m.reach.Files) > 0 {
		return true
	}
	for p := range m.paths {
		if m.row(p).Class == Test {
			return true
		}
	}
	return false
}

// cutsOff reports whether a new manifest removes files of the base from the project above it. At
// the root only go.mod does, if the base has Go files.
func (m *Map) cutsOff(file string) bool {
	dir := gate.DirOf(file)
	if dir == "" {
		return path.Base(file) == "go.mod" && m.holdsGo()
	}
	return m.reach.Dirs[dir]
}

func (m *Map) holdsGo() bool {
	for p := range m.paths {
		if path.Ext(p) == ".go" {
			return true
		}
	}
	return false
}

// gateFile compares a gate's file with the base's by its structure.
func (m *Map) gateFile(e Edit, edits []Edit) []state.RefereeChange {
	change := state.RefereeChange{Cause: state.CauseGate, File: e.Path}
	switch {
	case e.NewMode == "":
		if m.unread(e.Path) {
			change.Ruling, change.Cause, change.What = state.RulingRecorded, state.CauseStronger,
				"deleted; no gate of the base reads it"
			return []state.RefereeChange{change}
		}
		change.What = "deleted"
		if to := movedTo(e, edits); to != "" {
			change.What = "moved to " + to
		}
		return []state.RefereeChange{change}
	case e.Unread:
		change.What = "changed; too large to compare"
		return []state.RefereeChange{change}
	case e.OldMode == modeExec && e.NewMode != modeExec:
		change.What = "it cannot be run any more (mode " + e.OldMode + " → " + e.NewMode + ")"
		return []state.RefereeChange{change}
	case e.Old == e.New:
		return nil
	}
	found, ok := m.reach.ChangedKeys(e.Path, e.Old, e.New)
	if path.Base(e.Path) == "conftest.py" {
		found, ok = nil, gate.Bare(e.Path, e.Old) == gate.Bare(e.Path, e.New) ||
			plainFixtures(e.Old, e.New)
	}
	if !ok {
		change.Was, change.Now = gate.LineChange(e.Old, e.New)
		change.What = change.Was + " → " + change.Now
		change.Line = gate.ChangedLine(e.Old, e.New)
		return []state.RefereeChange{change}
	}
	if len(found) == 0 {
		change.Ruling, change.Cause, change.What = state.RulingRecorded, state.CauseStronger,
			unreadKeys
		if gate.ShellText(e.Path, e.New) && gate.OtherCommands(e.Old, e.New) {
			change.What = "further commands, which only check"
		}
		return []state.RefereeChange{change}
	}
	var out []state.RefereeChange
	for _, k := range found {
		was, now := strings.TrimPrefix(gate.Shown(k.Old), "⏎ "),
			strings.TrimPrefix(gate.Shown(k.New), "⏎ ")
		c := state.RefereeChange{
			Cause: state.CauseGate, File: e.Path, Test: k.Key, Line: gate.KeyLine(e.New, k.Key),
			What: was + " → " + now, Was: was, Now: now,
		}
		if k.Harmless || m.unread(e.Path) {
			c.Ruling, c.Cause = state.RulingRecorded, state.CauseStronger
		}
		out = append(out, c)
	}
	return out
}

// unread reports whether a settings file is one of a stack that no gate uses.
func (m *Map) unread(file string) bool {
	stack := gate.ConfigStack(file)
	_, reached := m.reach.Files[file]
	return stack != "" && !m.reach.Stacks[stack] && !reached
}

// movedTo is the path at which the deleted file's content was added.
func movedTo(e Edit, edits []Edit) string {
	for _, other := range edits {
		if other.OldMode == "" && other.New == e.Old && other.Path != e.Path {
			return other.Path
		}
	}
	return ""
}
