package reading

import (
	"slices"

	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/words"
)

// Other reports whether a label is that of a risk, a requirement, a question or a decision that the
// document lists outside its phases: "R1".
func (r *Reading) Other(label string) bool {
	id := words.NormalID(label)
	if id == "" || !slices.Contains(words.NotPhasePrefixes, words.IDPrefix(label)) {
		return false
	}
	outside := func(line int) bool { return line >= len(r.Covered) || !r.Covered[line] }
	return slices.ContainsFunc(r.Doc.Headings, func(h document.Heading) bool {
		return words.NormalID(h.Title.Label) == id && outside(h.Line)
	}) || slices.ContainsFunc(r.Doc.Items, func(it document.Item) bool {
		return words.NormalID(words.ReadTitle(it.Raw).Label) == id && outside(it.Line)
	}) || slices.ContainsFunc(r.Doc.Tables, func(t document.Table) bool {
		return slices.ContainsFunc(t.Rows, func(row document.Row) bool {
			return words.NormalID(words.ReadCell(row.At(0).Raw).Label) == id && outside(row.Line)
		})
	})
}
