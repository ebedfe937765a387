package dialect

import (
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/words"
)

// steps is the last form of all: a numbered list below a heading that announces what is to be done.
type steps struct{}

func (steps) name() string { return "steps" }

func (steps) prior(*document.Document) int { return -40 }

func (steps) signs(d *document.Document) bool {
	return len(numberedSteps(d)) >= 2 || len(progressBoxes(d)) >= 2
}

func (steps) read(r *reading.Reading) {
	if list := numberedSteps(r.Doc); len(list) >= 2 {
		r.AddItems(list)
		r.WarnDoubt("a numbered list", "the items")
		return
	}
	r.AddItems(progressBoxes(r.Doc))
	r.WarnDoubt("the progress list", "its boxes")
}

// progressBoxes finds the boxes of an ExecPlan's list of progress: those below the heading
// "Progress", and no others are.
func progressBoxes(d *document.Document) []int {
	var list []int
	for i := range d.Items {
		it := &d.Items[i]
		if it.Box == 0 || it.Depth > 0 || it.Quoted {
			continue
		}
		if inline.Words(d.HeadingAbove(it.Line).Text) != "progress" {
			return nil
		}
		list = append(list, i)
	}
	return list
}

// numberedSteps finds the items of the first numbered list below an announcement.
func numberedSteps(d *document.Document) []int {
	for _, h := range d.Headings {
		if h.Title.Kind != "" || !words.ContainsAny(inline.Words(h.Text), announcing...) ||
			words.ContainsAny(inline.Words(h.Text), "prior", "existing", "reproduc",
				"verification") {
			continue
		}
		var list []int
		for i := range d.Items {
			it := &d.Items[i]
			if it.Line <= h.Line || it.Line >= h.End || it.Depth > 0 || it.Quoted ||
				it.Number == "" ||
				d.HeadingAbove(it.Line).Line != h.Line {
				continue
			}
			if len(list) > 0 && it.Number == d.Items[list[0]].Number {
				break
			}
			list = append(list, i)
		}
		if len(list) >= 2 {
			return list
		}
	}
	return nil
}
