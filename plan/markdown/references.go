package markdown

import (
	"strings"

	"autobuild/plan"
)

// refs is the value of a label, or, when it has none, the items of the list below it.
func (d *document) refs(l label, ref plan.Ref) []plan.Ref {
	if l.value != "" {
		if end := sentenceEnd(ref.Text); end < len(ref.Text) && relational(ref.Text[end:]) {
			// "Phase 9. Can run in parallel with 2"
			ref.Text = strings.TrimRight(ref.Text[:end], ". ")
		}
		return []plan.Ref{ref}
	}
	var refs []plan.Ref
	end := l.line + 40
	if l.item >= 0 {
		end = d.items[l.item].end
	}
	previous, boxes := l.line, false
	for k, it := range d.itemsIn(l.line+1, end) {
		if boxes = boxes || k == 0 && it.box != 0; it.line > previous+2 || boxes != (it.box != 0) {
			break // what is to be done begins
		}
		previous = it.end - 1
		refs = append(refs, plan.Ref{Text: plain(it.raw), Pos: d.pos(it.offset)})
	}
	return refs
}
