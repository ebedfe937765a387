package dialect

import (
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/reading"
)

// titled is the form of a document that is one ticket: its title begins with an id, "# 01: Name",
// and what is to be done are boxes below headings without ids. It is a guess, and tried last.
type titled struct{}

func (titled) name() string { return coded{}.name() }

func (titled) prior(*document.Document) int { return -50 }

func (titled) signs(d *document.Document) bool {
	if len(d.Headings) == 0 || d.CountWorkBoxes() == 0 {
		return false
	}
	t := &d.Headings[0].Title
	return d.Headings[0].Level == 1 && d.Headings[0].End > d.Count() && t.Label != "" &&
		t.Sep != "" && !t.Loose && t.Name != ""
}

func (titled) read(r *reading.Reading) {
	if len(r.Doc.Headings) == 0 {
		return
	}
	first := r.Doc.Headings[0].Line
	r.AddHeadings(func(h *document.Heading) bool { return h.Line == first })
	r.WarnDoubt("the title of the document", "its boxes")
}
