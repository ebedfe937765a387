package dialect

import (
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/words"
)

// pdd is a plan of "## Step N" sections with a checklist of the steps above them.
type pdd struct{}

func (pdd) name() string { return "pdd" }

func (pdd) signs(d *document.Document) bool {
	listed, headed := 0, 0
	for i := range d.Items {
		if it := &d.Items[i]; it.Box != 0 && it.Depth == 0 &&
			words.ReadTitle(it.Raw).Kind == "step" {
			listed++
		}
	}
	for _, h := range d.Headings {
		if h.Title.Kind == "step" && h.Level == 2 {
			headed++
		}
	}
	return listed >= 2 && headed >= 2
}

func (pdd) read(r *reading.Reading) {
	r.AddHeadings(func(h *document.Heading) bool { return h.Title.Kind == "step" })
}
