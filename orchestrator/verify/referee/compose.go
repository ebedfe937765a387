package referee

// Compose are the changes over the work's tree that make it the referee run's: the base's referee files, and none of
// the work's own.
func (m *Map) Compose(edits []Edit) []Overlay {
	var out []Overlay
	for _, e := range edits {
		if c := m.Class(e.Path); c == Product || c == Vendored {
			continue
		}
		if e.OldMode == "" {
			out = append(out, Overlay{Path: e.Path})
			continue
		}
		out = append(out, Overlay{Path: e.Path, Mode: e.OldMode, Base: true})
	}
	return out
}

// ComposeProof are the changes over the base's tree that put the work's tests to it; none: the work has no tests.
func (m *Map) ComposeProof(edits []Edit) []Overlay {
	var out []Overlay
	for _, e := range edits {
		if e.NewMode == "" || e.Unread || m.Class(e.Path) != Test {
			continue
		}
		out = append(out, Overlay{Path: e.Path, Mode: e.NewMode, Content: e.New})
	}
	return out
}
