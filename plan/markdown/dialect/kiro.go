package dialect

import (
	"strings"

	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/words"
)

// kiro is a list of numbered boxes, with sub-tasks numbered 1.1 or indented below.
type kiro struct{}

func (kiro) name() string { return "kiro" }

// signs holds for boxes that are numbered through the document: lists that begin again at 1 in
// every section are the tasks of phases, and a table of phases is more to the point than any list.
func (kiro) signs(d *document.Document) bool {
	top, sub, again := 0, 0, 0
	seen := map[string]bool{}
	for i := range d.Items {
		it := &d.Items[i]
		if it.Box == 0 {
			continue
		}
		label, _ := document.ItemNumber(it)
		switch {
		case label == "":
		case strings.Contains(label, "."):
			sub++
		case it.Depth == 0:
			top++
			if seen[label] {
				again++
			}
			seen[label] = true
		}
	}
	if top < 2 || again*4 > top || len(d.PhaseTables()) > 0 {
		return false
	}
	return sub > 0 || strings.Contains(d.Text, "_Requirements:") ||
		strings.Contains(d.Text, "_Leverage:")
}

func (kiro) read(r *reading.Reading) { r.AddNumberedBoxes(0, r.Doc.Count()+1) }

// numberedBoxes is the last resort: numbered boxes without any other sign.
type numberedBoxes struct{}

func (numberedBoxes) name() string { return "checklist" }

func (numberedBoxes) signs(d *document.Document) bool {
	top := 0
	for i := range d.Items {
		if label, _ := document.ItemNumber(&d.Items[i]); label != "" && d.Items[i].Box != 0 &&
			d.Items[i].Depth == 0 && words.IsTopNumber(label) {
			top++
		}
	}
	return top >= 2
}

func (numberedBoxes) prior(*document.Document) int { return 8 }

func (numberedBoxes) read(r *reading.Reading) { r.AddNumberedBoxes(0, r.Doc.Count()+1) }
