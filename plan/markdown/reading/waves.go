package reading

import (
	"fmt"
	"sort"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
)

// waveOfUnits gives every unit the wave that its table row or the headings around it put it in; nil
// when the document has no waves.
func (r *Reading) waveOfUnits() []string {
	d := r.Doc
	var heads []document.Heading
	for i := range d.Headings {
		if d.Headings[i].Title.Kind == "wave" {
			heads = append(heads, d.Headings[i])
		}
	}
	rows := map[int]string{} // by line
	for i := range d.Tables {
		t := &d.Tables[i]
		column, above := t.Column("wave"), d.HeadingAbove(t.Line).Title
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
	wave := make([]string, len(r.Units))
	for i := range r.Units {
		u := &r.Units[i]
		wave[i] = rows[u.RowLine]
		if u.RowLine > 0 || u.Title.Kind == "wave" {
			continue
		}
		const nested = 8 // headings of waves within each other
		last := sort.Search(len(heads), func(k int) bool { return heads[k].Line >= u.From }) - 1
		for k := last; k >= max(0, last-nested); k-- {
			if u.From < heads[k].End {
				wave[i] = heads[k].Title.Label
				break
			}
		}
	}
	return wave
}

// implyWaves makes phases of a wave that state nothing depend on the whole wave before. It warns
// about dependencies within a wave.
func (r *Reading) implyWaves() {
	wave := r.waveOfUnits()
	if wave == nil {
		return
	}
	var members [][]int // per wave, in document order
	number := map[string]int{}
	for i := range r.Units {
		if wave[i] == "" {
			continue
		}
		if _, seen := number[wave[i]]; !seen {
			number[wave[i]] = len(members)
			members = append(members, nil)
		}
		members[number[wave[i]]] = append(members[number[wave[i]]], i)
	}
	for i := range r.Units {
		u := &r.Units[i]
		if wave[i] == "" {
			continue
		}
		for _, ref := range u.Needs {
			for _, k := range r.Index().Mentions(ref.Text) {
				if k != i && wave[k] == wave[i] {
					r.Warn("W-WAVE", ref.Pos,
						fmt.Sprintf("phase %s depends on %s of its own wave %s", u.Label,
							r.Units[k].Label,
							wave[i]), "the dependency counts")
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
				labels = append(labels, r.Units[k].Label)
			}
			ref.Text = strings.Join(labels, ", ")
		}
		u.Implied = []plan.Ref{ref}
	}
}
