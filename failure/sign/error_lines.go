package sign

import (
	"strings"

	"autobuild/failure"
	"autobuild/internal/lazyregexp"
)

// quoting matches lines about code: tests that pass, are skipped or begin, titles of those that
// fail, expected and received values, quoted source, and frames of a stack.
var quoting = lazyregexp.New(
	`^\s*(?:[✓✔√○✗✘✕×●❯↓]|(?:not )?ok\b|(?:--- |=== )?(?:PASS|RUN|PAUSE|CONT|SKIP|NAME|FAIL|FAILED)\b|(?:PASSED|XFAIL)\b|test \S+ \.\.\. )` +
		`|\b(?:PASSED|FAILED)\b\s*(?:\[\s*\d+%\])?$` +
		`|(?i:\bexpect(?:ed|s)?\b|\bassert|^\s*received\s*:|\bwant(?:ed)?\b.*\bgot\b|\bgot\b.*\bwant(?:ed)?\b|= \S.*, want\b|^\s*left: |^\s*right: )` +
		`|^\s*(?:[-+>] |>?\s*\d+ ?\|)|^E? {3,}[-+] ` +
		`|^\s*(?:at \S+.*[:(]\d+|File ".*", line \d+|//|#\s)`)

// ErrorLines is an output without its lines about code (passing tests, titles, expected values,
// quoted source, frames of stacks). What is left reports trouble, so that a test of a rate limiter
// is no rate limit.
func ErrorLines(output string) string {
	var kept []string
	for l := range strings.Lines(failure.Tail(output, failure.MaxDetails)) {
		l = strings.TrimRight(l, "\n")
		if !quoting.MatchString(l) {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "\n")
}
