package prompt

import (
	"fmt"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/text"
)

// telling reports lines that say what went wrong, rather than what was done; quiet, those that only
// say that nothing did.
var (
	telling = lazyregexp.New(
		`(?i)\b(?:errors?|err!|fatal|panic|exception|traceback|fail(?:ed|ure|s|ing)?|cannot|can't|could not|undefined|unexpected|invalid|denied|refused|missing|not found|no such|assert\w*|expected|mismatch)\b|^\s*[✗✘✕×]`)
	quiet = lazyregexp.New(`(?i)\b(?:no|0) (?:errors?|failures?|failed|failing)\b`)
)

// maxLine bounds one line of an excerpt, in bytes.
const maxLine = 400

// excerpt is at most n lines of an output, around the first that speaks of an error: what follows
// that is mostly its consequence, and the end of a long output mostly a count. Where none does, it
// is the end. What is left out is said; with less than three lines there is no room for that.
func excerpt(output string, n int) []string {
	lines := strings.Split(strings.Trim(output, "\n"), "\n")
	for i, line := range lines {
		if len(line) > maxLine {
			lines[i] = text.Truncate(line, maxLine) + "…"
		}
	}
	if len(lines) <= n {
		return lines
	}
	first := len(lines) - 1
	for i, line := range lines {
		if telling.MatchString(line) && !quiet.MatchString(line) {
			first = i
			break
		}
	}
	room := n - 2 // for the two lines that say what is left out
	if room < 1 {
		return lines[first:min(first+n, len(lines))]
	}
	from := max(0, min(first-room/5, len(lines)-room))
	out := make([]string, 0, n)
	if from > 0 {
		out = append(out, leftOut(from))
	}
	out = append(out, lines[from:from+room]...)
	if rest := len(lines) - from - room; rest > 0 {
		out = append(out, leftOut(rest))
	}
	return out
}

func leftOut(n int) string {
	if n == 1 {
		return "[… 1 line left out]"
	}
	return fmt.Sprintf("[… %d lines left out]", n)
}
