package dialect

import (
	"strings"

	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/words"
)

// openspec is a task file whose phases are numbered sections, "## 1. Name", with boxes in them.
type openspec struct{}

func (openspec) name() string { return "openspec" }

// signs holds when most of the numbered sections have boxes: a design document numbers its sections
// too.
func (openspec) signs(d *document.Document) bool {
	numbered, boxed := 0, 0
	for i := range d.Headings {
		h := &d.Headings[i]
		if h.Title.Kind != "" && h.Title.Kind != "section" {
			return false
		}
		if !openspecHead(h) {
			continue
		}
		numbered++
		for _, it := range d.ItemsIn(h.Line, h.End) {
			if it.Box != 0 {
				boxed++
				break
			}
		}
	}
	return boxed > 0 && boxed*2 > numbered
}

func openspecHead(h *document.Heading) bool {
	return h.Level == 2 && h.Title.Kind == "" && words.IsNumeric(h.Title.Label) &&
		!strings.Contains(h.Title.Label, ".") &&
		(h.Title.Sep == "." || h.Title.Sep == ")" || h.Title.Sep == ":")
}

func (openspec) prior(*document.Document) int { return 27 }

func (openspec) read(r *reading.Reading) { r.AddHeadings(openspecHead) }
