package text

import "strings"

// ellipsis stands where text was cut off.
const ellipsis = "…"

// Clip is s in at most n bytes, cut between two characters. An ellipsis at its end says that
// something was cut off.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return Truncate(s, n-len(ellipsis)) + ellipsis
}

// Truncate is the start of s as valid UTF-8, in at most n bytes.
func Truncate(s string, n int) string {
	return strings.ToValidUTF8(s[:max(0, min(len(s), n))], "")
}

// OneLine is s with every run of white space as one blank.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
