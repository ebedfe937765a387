package text

import (
	"fmt"
	"strings"
)

// Quote is a path as it is, or in double quotes with escapes where it holds blanks, quotes or
// control characters.
func Quote(s string) string {
	q := fmt.Sprintf("%q", s)
	if q == `"`+s+`"` && !strings.Contains(s, " ") {
		return s
	}
	return q
}

// QuoteSome lists the first five paths, quoted, and the number of the others.
func QuoteSome(paths []string) string {
	const limit = 5
	var b strings.Builder
	for i, p := range paths {
		if i == limit {
			fmt.Fprintf(&b, " and %d more", len(paths)-limit)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(Quote(p))
	}
	return b.String()
}
