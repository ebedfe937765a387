package markdown

import "strings"

// sisyphus is a plan whose phases are the numbered boxes under "TODOs".
type sisyphus struct{}

func (sisyphus) name() string { return "sisyphus" }

func (sisyphus) signs(d *document) bool {
	_, ok := todoHeading(d)
	return ok && strings.Contains(d.text, "**Parallelization**")
}

func todoHeading(d *document) (heading, bool) {
	for _, h := range d.heads {
		if words(h.text) == "todos" {
			return h, true
		}
	}
	return heading{}, false
}

func (sisyphus) read(r *reading) {
	if h, ok := todoHeading(r.doc); ok {
		r.checklist(h.line, h.end)
	}
}
