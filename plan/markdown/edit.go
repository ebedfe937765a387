package markdown

import (
	"slices"
	"strings"
)

// edit replaces the bytes [from, to) of the original document.
type edit struct {
	from, to int
	text     string
}

// apply makes all edits; they must not overlap.
func apply[T string | []byte](src T, edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	var out strings.Builder
	out.Grow(len(src) + 16)
	at := 0
	for _, e := range edits {
		if e.from < at {
			continue
		}
		out.WriteString(string(src[at:e.from]))
		out.WriteString(e.text)
		at = e.to
	}
	out.WriteString(string(src[at:]))
	return out.String()
}
