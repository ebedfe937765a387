package dialect

import (
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/reading"
)

// family is a dialect of plain headings that has signs of its own. Its phases read as headings do;
// only its name differs, so that a report can say what was recognised.
type family struct {
	called string
	kind   string
	sign   func(d *document.Document, heads []document.Heading) bool
}

func (f family) name() string { return f.called }

func (f family) signs(d *document.Document) bool {
	var heads []document.Heading
	for _, h := range d.Headings {
		if h.Title.Kind == f.kind {
			heads = append(heads, h)
		}
	}
	return len(heads) > 0 && d.PhaseKind() == f.kind && f.sign(d, heads)
}

func (f family) read(r *reading.Reading) {
	r.AddHeadings(func(h *document.Heading) bool { return h.Title.Kind == f.kind })
}

// families lists them.
func families() []dialect {
	return []dialect{conductor(), ralphex(), superpowers(), agentOS()}
}
