package markdown

import (
	"fmt"
	"sort"
	"strings"

	"autobuild/plan/markdown/document"

	"autobuild/plan/markdown/words"

	"autobuild/plan/markdown/inline"

	"autobuild/plan"
)

// waved gives every unit the wave that its table row or the headings around it put it in; nil when
// the document has no waves.
func (r *reading) waved() []string {
	d := r.doc
	var heads []document.Heading
	for i := range d.Heads {
		if d.Heads[i].Title.Kind == "wave" {
			heads = append(heads, d.Heads[i])
		}
	}
	rows := map[int]string{} // by line
	for i := range d.Tables {
		t := &d.Tables[i]
		column, above := waveColumn(t), d.Above(t.Line).Title
		for _, row := range t.Rows {
			switch {
			case column >= 0:
				rows[row.Line] = inline.Words(row.At(column).Raw)
			case above.Kind == "wave":
				rows[row.Line] = above.Label
			}
		}
	}
	if len(heads)+len(rows) == 0 {
		return nil
	}
	wave := make([]string, len(r.units))
	for i := range r.units {
		u := &r.units[i]
		wave[i] = rows[u.rowLine]
		if u.rowLine > 0 || u.title.Kind == "wave" {
			continue
		}
		const nested = 8 // headings of waves within each other
		last := sort.Search(len(heads), func(k int) bool { return heads[k].Line >= u.from }) - 1
		for k := last; k >= max(0, last-nested); k-- {
			if u.from < heads[k].End {
				wave[i] = heads[k].Title.Label
				break
			}
		}
	}
	return wave
}

// implied gives the phases of waves that state nothing their dependencies: all of the wave before.
// It warns of dependencies within a wave, which contradict it.
func (r *reading) implied() {
	wave := r.waved()
	if wave == nil {
		return
	}
	var members [][]int // per wave, in document order
	number := map[string]int{}
	for i := range r.units {
		if wave[i] == "" {
			continue
		}
		if _, seen := number[wave[i]]; !seen {
			number[wave[i]] = len(members)
			members = append(members, nil)
		}
		members[number[wave[i]]] = append(members[number[wave[i]]], i)
	}
	for i := range r.units {
		u := &r.units[i]
		if wave[i] == "" {
			continue
		}
		for _, ref := range u.Needs {
			for _, k := range r.index().Mentions(ref.Text) {
				if k != i && wave[k] == wave[i] {
					r.warn("W-WAVE", ref.Pos, fmt.Sprintf("phase %s depends on %s of its own wave %s", u.Label, r.units[k].Label, wave[i]), "the dependency counts")
				}
			}
		}
		if len(u.Needs) > 0 {
			continue
		}
		ref := plan.Ref{Text: "none", Pos: u.Pos}
		if n := number[wave[i]]; n > 0 {
			var labels []string
			for _, k := range members[n-1] {
				labels = append(labels, r.units[k].Label)
			}
			ref.Text = strings.Join(labels, ", ")
		}
		u.Implied = []plan.Ref{ref}
	}
}

func waveColumn(t *document.Table) int {
	for i, h := range t.Header {
		if words.HeadWords(h.Raw) == "wave" {
			return i
		}
	}
	return -1
}
