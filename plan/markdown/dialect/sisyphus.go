package dialect

import (
	"strings"

	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/reading"
)

// sisyphus is a plan whose phases are the numbered boxes under "TODOs".
type sisyphus struct{}

func (sisyphus) name() string { return "sisyphus" }

func (sisyphus) signs(d *document.Document) bool {
	_, ok := todoHeading(d)
	return ok && strings.Contains(d.Text, "**Parallelization**")
}

func todoHeading(d *document.Document) (document.Heading, bool) {
	for _, h := range d.Headings {
		if inline.Words(h.Text) == "todos" {
			return h, true
		}
	}
	return document.Heading{}, false
}

func (sisyphus) read(r *reading.Reading) {
	if h, ok := todoHeading(r.Doc); ok {
		r.AddNumberedBoxes(h.Line, h.End)
	}
}
