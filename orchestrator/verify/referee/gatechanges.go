package referee

import "autobuild/state"

// GateChanges are the changes of gates, of files that steer them and of what tests use. The ruling is empty where a
// change is weaker or unclear.
func (m *Map) GateChanges(edits []Edit, work Source) []state.RefereeChange {
	var out []state.RefereeChange
	for _, e := range edits {
		switch m.Class(e.Path) {
		case Gate:
			out = append(out, state.RefereeChange{Cause: state.CauseGate, File: e.Path, What: "changed"})
		case Lever:
			out = append(out, state.RefereeChange{Cause: state.CauseLever, File: e.Path, What: "added"})
		}
	}
	return out
}

// Needed says why the referee run is needed; empty: it is not.
func (m *Map) Needed(edits []Edit, before, now Outcome) string {
	for _, e := range edits {
		switch c := m.Class(e.Path); {
		case c == Gate, c == Lever:
			return e.Path + " steers a gate"
		case c == Test && e.OldMode != "":
			return e.Path + " is a test of the base and was changed"
		case c == Test && now.Passing == nil:
			return e.Path + " is new, and no runner names its tests"
		}
	}
	for name := range before.Passing {
		if !now.Passing[name] {
			return name + " passed on the base and was not seen passing"
		}
	}
	return ""
}
