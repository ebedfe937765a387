package markdown

// steps is the last form of all: a numbered list below a heading that announces what is to be done.
type steps struct{}

func (steps) name() string { return "steps" }

func (steps) prior(*document) int { return -40 }

func (steps) signs(d *document) bool {
	return len(numberedSteps(d)) >= 2 || len(progressBoxes(d)) >= 2
}

func (steps) read(r *reading) {
	if list := numberedSteps(r.doc); len(list) >= 2 {
		r.items(list)
		r.guessed("a numbered list", "the items")
		return
	}
	r.items(progressBoxes(r.doc))
	r.guessed("the progress list", "its boxes")
}

// progressBoxes finds the boxes of an ExecPlan's list of progress: those below the heading
// "Progress", and no others are.
func progressBoxes(d *document) []int {
	var list []int
	for i := range d.items {
		it := &d.items[i]
		if it.box == 0 || it.depth > 0 || it.quoted {
			continue
		}
		if words(d.above(it.line).text) != "progress" {
			return nil
		}
		list = append(list, i)
	}
	return list
}

// numberedSteps finds the items of the first numbered list below an announcement.
func numberedSteps(d *document) []int {
	for _, h := range d.heads {
		if h.title.kind != "" || !hasAny(words(h.text), announcing...) || hasAny(words(h.text), "prior", "existing", "reproduc", "verification") {
			continue
		}
		var list []int
		for i := range d.items {
			it := &d.items[i]
			if it.line <= h.line || it.line >= h.end || it.depth > 0 || it.quoted || it.number == "" || d.above(it.line).line != h.line {
				continue
			}
			if len(list) > 0 && it.number == d.items[list[0]].number {
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
