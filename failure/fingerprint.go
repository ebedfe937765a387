package failure

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
)

// masks replace what differs between two sightings of one failure, the greedier ones first:
// a time would otherwise be masked as numbers, and a temporary path as a word and a number.
var masks = []struct {
	re *lazyregexp.Regexp
	by string
}{
	{lazyregexp.New(`(?:/private)?/(?:tmp|var/folders|var/tmp)/[^\s:"'()]*`), "<tmp>"},
	{lazyregexp.New(`(?i)[a-z]:\\[^\s:"'()]*\\temp\\[^\s:"'()]*`), "<tmp>"},
	{lazyregexp.New(`[^\s:"'()]*/worktrees/[^/\s:"'()]+/?`), "<dir>/"},
	{
		lazyregexp.New(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?`),
		"<time>",
	},
	{lazyregexp.New(`\d\d:\d\d:\d\d(?:[.,]\d+)?`), "<time>"},
	{lazyregexp.New(`(?i)\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`), "<id>"},
	{lazyregexp.New(`(?i)\b0x[0-9a-f]+\b`), "<hex>"},
	{
		lazyregexp.New(`(?i)\b(?:[0-9a-f]*[0-9][0-9a-f]*[a-f][0-9a-f]*|[a-f]+[0-9][0-9a-f]*)\b`),
		"<hex>",
	},
	{
		lazyregexp.New(
			`(?i)\b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|sec|secs|seconds|m|min|minutes|h|hours)\b`),
		"<duration>",
	},
	{lazyregexp.New(`\d+(?:[.,]\d+)*`), "<n>"},
}

// Mask replaces numbers, times, durations, hexadecimal words and temporary paths in one line, of
// which it keeps at most 400 bytes: two sightings of one failure become alike.
func Mask(s string) string {
	s = Line(s, MaxField)
	for _, m := range masks {
		s = m.re.ReplaceAllString(s, m.by)
	}
	return s
}

// Fingerprint is equal for the same failure seen twice: the same gate, the same rules broken,
// the same tests failing, the same words. Line numbers and claims do not count, nor does the order
// in which a runner happens to report.
func Fingerprint(t Type, gate string, tests []Test, places []Place, words string) string {
	var names, rules []string
	for _, x := range tests {
		names = append(names, Mask(x.File)+" "+Mask(x.Name))
	}
	for _, p := range places {
		rule := p.Rule
		if rule == "" {
			rule = Mask(p.Message)
		}
		rules = append(rules, p.File+" "+rule)
	}
	if len(names)+len(rules) > 0 {
		words = ""
	}
	h := sha256.New()
	for _, part := range [][]string{{string(t), gate}, set(names), set(rules), {Mask(words)}} {
		h.Write([]byte(strings.Join(part, "\x00")))
		h.Write([]byte{1})
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func set(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// telling reports lines that say what went wrong, rather than what was done.
var telling = lazyregexp.New(
	`(?i)\b(?:error|err!|fatal|panic|exception|fail(?:ed|ure|s)?|cannot|can't|could not|undefined|unexpected|unknown (?:shorthand )?(?:flag|option|argument|command)|unrecognized|invalid|denied|refused|missing|not found|no such)\b`)

// ErrorLine is the line of an output that says most: the first that names an error, else the last.
// It has at most 400 bytes.
func ErrorLine(tail string) string {
	last := ""
	for l := range strings.Lines(tail) {
		l = Line(l, MaxField)
		if l == "" {
			continue
		}
		if telling.MatchString(l) {
			return l
		}
		last = l
	}
	return last
}
