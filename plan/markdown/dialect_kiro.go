package markdown

import (
	"strings"
)

// kiro is a task list of numbered boxes, with sub-tasks numbered 1.1 or indented below.
type kiro struct{}

func (kiro) name() string { return "kiro" }

// signs holds for boxes that are numbered through the document: lists that begin again at 1 in
// every section are the tasks of phases, and a table of phases is more to the point than any list.
func (kiro) signs(d *document) bool {
	top, sub, again := 0, 0, 0
	seen := map[string]bool{}
	for i := range d.items {
		it := &d.items[i]
		if it.box == 0 {
			continue
		}
		label, _ := numbered(it)
		switch {
		case label == "":
		case strings.Contains(label, "."):
			sub++
		case it.depth == 0:
			top++
			if seen[label] {
				again++
			}
			seen[label] = true
		}
	}
	if top < 2 || again*4 > top || len(d.phaseTables()) > 0 {
		return false
	}
	return sub > 0 || strings.Contains(d.text, "_Requirements:") || strings.Contains(d.text, "_Leverage:")
}

func (kiro) read(r *reading) { r.checklist(0, r.doc.count()+1) }

// numberedBoxes is the last resort: numbered boxes without anything else to tell them by.
type numberedBoxes struct{}

func (numberedBoxes) name() string { return "checklist" }

func (numberedBoxes) signs(d *document) bool {
	top := 0
	for i := range d.items {
		if label, _ := numbered(&d.items[i]); label != "" && d.items[i].box != 0 && d.items[i].depth == 0 && numbersWhole(label) {
			top++
		}
	}
	return top >= 2
}

func (numberedBoxes) prior(*document) int { return 8 }

func (numberedBoxes) read(r *reading) { r.checklist(0, r.doc.count()+1) }
