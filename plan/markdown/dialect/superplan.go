package dialect

import (
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/reading"
)

// superplan is the recommended form: an overview table of phases with their dependencies, and a
// section for each.
type superplan struct{}

func (superplan) name() string { return "superplan" }

func (superplan) signs(d *document.Document) bool {
	t := document.BestTable(d.PhaseTables())
	if t == nil || t.Head != "phase" {
		return false
	}
	c := t.Parts[0].Columns
	return c.Beside >= 0 || c.Estimate >= 0 || (c.Status >= 0 && c.Name >= 0)
}

func (superplan) read(r *reading.Reading) { tabled{}.read(r) }

// tabled is any table that has a column of ids and one of dependencies.
type tabled struct{}

func (tabled) name() string { return "table" }

func (tabled) signs(d *document.Document) bool { return len(d.PhaseTables()) > 0 }

func (tabled) read(r *reading.Reading) {
	t := document.BestTable(r.Doc.PhaseTables())
	if t == nil {
		return
	}
	r.ReportOtherTable(t)
	r.AddRows(t)
	r.AttachHeadings()
	r.AddOtherHeadings()
}
