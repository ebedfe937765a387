package markdown

// superplan is the recommended form: an overview table of phases with their dependencies, and a
// section for each.
type superplan struct{}

func (superplan) name() string { return "superplan" }

func (superplan) signs(d *document) bool {
	t := bestTable(d.phaseTables())
	if t == nil || t.head != "phase" {
		return false
	}
	c := t.parts[0].columns
	return c.beside >= 0 || c.estimate >= 0 || (c.status >= 0 && c.name >= 0)
}

func (superplan) read(r *reading) { tabled{}.read(r) }

// tabled is any table that has a column of ids and one of dependencies.
type tabled struct{}

func (tabled) name() string { return "table" }

func (tabled) signs(d *document) bool { return len(d.phaseTables()) > 0 }

func (tabled) read(r *reading) {
	t := bestTable(r.doc.phaseTables())
	if t == nil {
		return
	}
	r.rival(t)
	r.rows(t)
	r.attach()
	r.strays()
}
