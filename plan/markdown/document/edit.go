package document

import (
	"slices"
	"strings"
)

// Edit replaces the bytes [from, to) of the original document.
type Edit struct {
	From, To int
	Text     string
}

// Apply makes all edits; they must not overlap.
func Apply[T string | []byte](src T, edits []Edit) string {
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.From - b.From })
	var out strings.Builder
	out.Grow(len(src) + 16)
	at := 0
	for _, e := range edits {
		if e.From < at {
			continue
		}
		out.WriteString(string(src[at:e.From]))
		out.WriteString(e.Text)
		at = e.To
	}
	out.WriteString(string(src[at:]))
	return out.String()
}
