package reading

import (
	"slices"

	"autobuild/plan/markdown/words"
)

// Other reports whether a label is that of a risk, a requirement, a question or a decision that the
// document lists outside its phases: "R1".
func (r *Reading) Other(label string) bool {
	if r.others == nil {
		r.others = map[string]bool{}
		for i := range r.Doc.Headings {
			r.addOther(r.Doc.Headings[i].Line, r.Doc.Headings[i].Title.Label)
		}
		for i := range r.Doc.Items {
			r.addOther(r.Doc.Items[i].Line, words.ReadTitle(r.Doc.Items[i].Raw).Label)
		}
		for i := range r.Doc.Tables {
			for _, row := range r.Doc.Tables[i].Rows {
				r.addOther(row.Line, words.ReadCell(row.At(0).Raw).Label)
			}
		}
	}
	return r.others[words.NormalID(label)]
}

// addOther notes a label outside all sections whose letters are not those of a phase.
func (r *Reading) addOther(line int, label string) {
	if line < len(r.Covered) && r.Covered[line] || !slices.Contains(words.NotPhasePrefixes,
		words.IDPrefix(label)) {
		return
	}
	if id := words.NormalID(label); id != "" {
		r.others[id] = true
	}
}
