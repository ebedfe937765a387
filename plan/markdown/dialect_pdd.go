package markdown

// pdd is a plan of "## Step N" sections with a checklist of the steps above them.
type pdd struct{}

func (pdd) name() string { return "pdd" }

func (pdd) signs(d *document) bool {
	listed, headed := 0, 0
	for i := range d.items {
		if it := &d.items[i]; it.box != 0 && it.depth == 0 && readTitle(it.raw).kind == "step" {
			listed++
		}
	}
	for _, h := range d.heads {
		if h.title.kind == "step" && h.level == 2 {
			headed++
		}
	}
	return listed >= 2 && headed >= 2
}

func (pdd) read(r *reading) {
	r.headings(func(h *heading) bool { return h.title.kind == "step" })
}
