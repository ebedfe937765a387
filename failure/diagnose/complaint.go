package diagnose

import (
	"regexp"
	"strings"

	"autobuild/failure"

	"autobuild/internal/text"
)

// mistake is failure-classifier's pattern of a local mistake, letter for letter: it tells cases
// apart.
var mistake = regexp.MustCompile(`TypeError|SyntaxError|test failed|assertion`)

// passing are the words of what may pass by itself: failure-classifier's pattern without its two
// status codes, which status looks for, and the other triggers of its first class: timeouts of the
// network, and locks.
var passing = regexp.MustCompile(`(?i)ECONNRESET|ETIMEDOUT|EAI_AGAIN|\brate[ -]limit|\brate_limit_(?:error|exceeded)|too many requests|service (?:temporarily )?unavailable` +
	`|connection reset|\boperation timed out|temporary failure in name resolution|(?:connection|connect|network|socket|request|read|handshake) (?:has )?time(?:d[ -]?)? ?out|\bi/o timeout` +
	`|\bEBUSY\b|\bETXTBSY\b|text file busy|database is locked|resource temporarily unavailable|(?:could not|cannot|can't|unable to|failed to) (?:get|acquire|obtain|take) (?:the )?(?:\w+ )?lock` +
	`|error acquiring the (?:\w+ )?lock|unable to create '[^']*\.lock': file exists`)

// transient finds the first sign of something that may pass by itself, and the line in which it
// stands.
func transient(output string) (word, where string) {
	for l := range strings.Lines(output) {
		l = failure.Line(l, failure.MaxField)
		if word = passing.FindString(l); word == "" {
			word = status(l)
		}
		if word != "" {
			return word, text.Clip(l, failure.MaxMessage)
		}
	}
	return "", ""
}

var (
	codes   = regexp.MustCompile(`429|503`)
	ordinal = regexp.MustCompile(`(?i)(?:\bline|\blines|\bport|\brow|\bcol|\bcolumn|\bpage|\bpid|\bid|\bissue|\bthan|\bof|#|\$)\s*:?\s*$`)
	counts  = regexp.MustCompile(`(?i)^\s?(?:ms|s|secs?|seconds?|k?b|mb|bytes|px|tests?|specs?|files?|lines?|errors?|warnings?|items?|rows?|packages?|modules?|assertions?|passed|passing|failed|failing|skipped|examples?|problems?)\b`)
	speaks  = regexp.MustCompile(`(?i)(?:status|code|error|http|err)$`)
)

// status finds a status code that says to come back later: one that stands by itself. As a part of
// another number, of a place (a.ts:429:5), of a size, or as a count (429 passed) it says nothing.
func status(l string) string {
	for _, at := range codes.FindAllStringIndex(l, -1) {
		before, after := l[:at[0]], l[at[1]:]
		if joined(before, true) || joined(after, false) || ordinal.MatchString(before) || counts.MatchString(after) {
			continue
		}
		return l[at[0]:at[1]]
	}
	return ""
}

// joined reports whether the text beside a number makes it a part of something else.
func joined(beside string, left bool) bool {
	if beside == "" {
		return false
	}
	if left {
		last := beside[len(beside)-1]
		if last == ':' { // "status:429" is one; "a.ts:429" and "12:429" are none
			return len(beside) > 1 && (word(beside[len(beside)-2]) || strings.ContainsRune(`)]`, rune(beside[len(beside)-2]))) && !speaks.MatchString(beside[:len(beside)-1])
		}
		if last == 'E' { // npm writes E429
			return len(beside) > 1 && word(beside[len(beside)-2])
		}
		return word(last) || strings.ContainsRune(`.,-+/@`, rune(last))
	}
	first := beside[0]
	if strings.ContainsRune(`.,:`, rune(first)) {
		return len(beside) > 1 && beside[1] >= '0' && beside[1] <= '9'
	}
	return word(first) || strings.ContainsRune(`-%/`, rune(first))
}

func word(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

// quoting recognises lines that speak about code rather than of trouble: tests that pass, are
// skipped or begin, the titles of those that fail, expectations and what was found instead, quoted
// source, and frames of a stack.
var quoting = regexp.MustCompile(`^\s*(?:[✓✔√○✗✘✕×●❯↓]|(?:not )?ok\b|(?:--- |=== )?(?:PASS|RUN|PAUSE|CONT|SKIP|NAME|FAIL|FAILED)\b|(?:PASSED|XFAIL)\b|test \S+ \.\.\. )` +
	`|\b(?:PASSED|FAILED)\b\s*(?:\[\s*\d+%\])?$` +
	`|(?i:\bexpect(?:ed|s)?\b|\bassert|^\s*received\s*:|\bwant(?:ed)?\b.*\bgot\b|\bgot\b.*\bwant(?:ed)?\b|= \S.*, want\b|^\s*left: |^\s*right: )` +
	`|^\s*(?:[-+>] |>?\s*\d+ ?\|)|^E? {3,}[-+] ` +
	`|^\s*(?:at \S+.*[:(]\d+|File ".*", line \d+|//|#\s)`)

// Complaint is what a failed output says for itself: its lines without those that only speak about
// the code: tests that pass, titles of tests, expectations, quoted source, frames of stacks. What a
// rule looks for in an output, it looks for there, so that a test of a rate limiter is no rate
// limit.
func Complaint(output string) string {
	var kept []string
	for l := range strings.Lines(failure.Tail(output, failure.MaxDetails)) {
		l = strings.TrimRight(l, "\n")
		if !quoting.MatchString(l) {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "\n")
}

// limiting are names of code that deals with limits and broken connections. Where such code is
// under work and its tests fail, their words are its own.
var limiting = regexp.MustCompile(`(?i)rate.?limit|limiter|throttl|quota|retry|retries|backoff|circuit|reconnect`)

// ownWords reports whether the words of transient trouble in a gate's output are those of the code
// under work.
func ownWords(g failure.GateRun, touched []string) bool {
	switch {
	case g.Kind != "test" && len(g.Places) > 0:
		return true // findings of a tool that reads code, and code may say anything
	case len(g.Tests) == 0:
		return false
	}
	for _, f := range touched[:min(len(touched), failure.MaxList)] {
		if limiting.MatchString(failure.Line(f, failure.MaxField)) {
			return true
		}
	}
	for _, t := range g.Tests[:min(len(g.Tests), failure.MaxList)] {
		if limiting.MatchString(failure.Line(t.File, failure.MaxField) + " " + failure.Line(t.Name, failure.MaxField)) {
			return true
		}
	}
	return false
}
