package referee

import (
	"slices"

	"autobuild/state"
)

// Map holds the classes of the files of one tree for the gates of one phase.
type Map struct {
	base  Source
	gates []state.GateSpec
	paths map[string]bool // of the base
	rows  map[string]Row  // of files of the base that contents classify, by path
	specs map[string]bool // directories named spec that hold tests
}

// Row says what a file or a kind of files is, and why.
type Row struct {
	Pattern string // a path, or patterns separated by spaces
	Class   Class
	Why     string
}

// NewMap classifies the files of a base for the gates of a phase.
func NewMap(base Source, gates []state.GateSpec) *Map {
	m := &Map{
		base: base, gates: slices.Clone(gates),
		paths: map[string]bool{}, rows: map[string]Row{}, specs: map[string]bool{},
	}
	for _, p := range base.Paths() {
		m.paths[p] = true
	}
	for p := range m.paths {
		if d := specDir.FindStringSubmatch(p); d != nil && m.named(p) == Test {
			m.specs[d[1]] = true
		}
	}
	return m
}

func (m *Map) named(file string) Class {
	if c := byName(file); c != nil {
		return c.class
	}
	return Product
}

// Class is the class of a path of the base, or of one that the work would add.
func (m *Map) Class(file string) Class { return m.row(file).Class }

func (m *Map) row(file string) Row {
	if r, ok := m.rows[file]; ok {
		return r
	}
	c := byName(file)
	if c == nil {
		if d := specDir.FindStringSubmatch(file); d != nil && m.specs[d[1]] {
			return Row{file, Test, "below a test directory, whatever the suffix"}
		}
		return Row{file, Product, ""}
	}
	if c.class == Gate && !m.paths[file] {
		return Row{file, Lever, "new: " + c.why}
	}
	return Row{file, c.class, c.why}
}

// Rows are the files of the base that are no product code, sorted by path.
func (m *Map) Rows() []Row {
	var rows []Row
	for _, p := range m.base.Paths() {
		if r := m.row(p); r.Class != Product {
			rows = append(rows, r)
		}
	}
	return rows
}

// Table is the classification by names, as docs/referee.md shows it.
func Table() []Row {
	var rows []Row
	for _, c := range conventions {
		rows = append(rows, Row{c.shown, c.class, c.why})
	}
	return rows
}
