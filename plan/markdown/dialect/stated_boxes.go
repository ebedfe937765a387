package dialect

import (
	"strings"

	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/words"
)

// statedBoxes is the form of boxes with numbers such as 1.2, most of which say what they wait for:
// their headings only group them.
type statedBoxes struct{}

func (statedBoxes) name() string { return "checklist" }

func (statedBoxes) prior(*document.Document) int { return 18 }

func (statedBoxes) signs(d *document.Document) bool { return len(dottedBoxes(d)) > 0 }

func (statedBoxes) read(r *reading.Reading) { r.AddItems(dottedBoxes(r.Doc)) }

// dottedBoxes finds the boxes at the top of lists that have an id with a dot. It finds none where
// most have no such id, or fewer than half of the ids say what they wait for.
func dottedBoxes(d *document.Document) []int {
	var list []int
	stating, others := 0, 0
	for i := range d.Items {
		it := &d.Items[i]
		if it.Box == 0 || it.Depth > 0 || it.Quoted || d.IsAboutPlan(it.Line) {
			continue
		}
		label, _ := document.ItemNumber(it)
		if !strings.Contains(label, ".") || it.Number != "" {
			others++
			continue
		}
		list = append(list, i)
		for _, l := range d.LabelsIn(it.Line, it.End) {
			if words.IsNeedLabel(l.Name) {
				stating++
				break
			}
		}
	}
	if stating == 0 || 2*stating < len(list) || others >= len(list) {
		return nil
	}
	return list
}
