package markdown

import (
	"fmt"
	"sort"
	"strings"

	"autobuild/plan"
)

// waved gives every unit the wave that its table row or the headings around it put it in; nil when
// the document has no waves.
func (r *reading) waved() []string {
	d := r.doc
	var heads []heading
	for i := range d.heads {
		if d.heads[i].title.kind == "wave" {
			heads = append(heads, d.heads[i])
		}
	}
	rows := map[int]string{} // by line
	for i := range d.tables {
		t := &d.tables[i]
		column, above := waveColumn(t), d.above(t.line).title
		for _, row := range t.rows {
			switch {
			case column >= 0:
				rows[row.line] = words(row.at(column).raw)
			case above.kind == "wave":
				rows[row.line] = above.label
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
		if u.rowLine > 0 || u.title.kind == "wave" {
			continue
		}
		const nested = 8 // headings of waves within each other
		last := sort.Search(len(heads), func(k int) bool { return heads[k].line >= u.from }) - 1
		for k := last; k >= max(0, last-nested); k-- {
			if u.from < heads[k].end {
				wave[i] = heads[k].title.label
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

func waveColumn(t *table) int {
	for i, h := range t.header {
		if headWords(h.raw) == "wave" {
			return i
		}
	}
	return -1
}
