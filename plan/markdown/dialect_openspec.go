package markdown

import "strings"

// openspec is a task file whose phases are numbered sections, "## 1. Name", with boxes in them.
type openspec struct{}

func (openspec) name() string { return "openspec" }

// signs holds when most of the numbered sections have boxes: a design document numbers its sections
// too.
func (openspec) signs(d *document) bool {
	numbered, boxed := 0, 0
	for i := range d.heads {
		h := &d.heads[i]
		if h.title.kind != "" && h.title.kind != "section" {
			return false
		}
		if !openspecHead(h) {
			continue
		}
		numbered++
		for _, it := range d.itemsIn(h.line, h.end) {
			if it.box != 0 {
				boxed++
				break
			}
		}
	}
	return boxed > 0 && boxed*2 > numbered
}

func openspecHead(h *heading) bool {
	return h.level == 2 && h.title.kind == "" && numeric(h.title.label) && !strings.Contains(h.title.label, ".") &&
		(h.title.sep == "." || h.title.sep == ")" || h.title.sep == ":")
}

func (openspec) prior(*document) int { return 27 }

func (openspec) read(r *reading) { r.headings(openspecHead) }
