package agent

import (
	"cmp"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/proc"
)

const (
	// maxTrouble bounds how far from the end of an output the line of its error is looked for, in
	// lines that are not blank.
	maxTrouble = 12
	// maxBrief bounds an output of which every line counts, in bytes.
	maxBrief = 2000
)

// errorLine begins a line in which a program reports its own error: "Error: …", "openai.APIError:
// …", "[ERROR] …", "curl: (6) …".
var errorLine = lazyregexp.New(`(?i)^\W*(?:` +
	`(?:[\w-]+[ .:]+){0,3}(?:\w*(?:error|exception)|fatal|panic(?:ked)?|failed to)\b|curl: \(\d+\))`)

// frame is a line of a stack.
var frame = lazyregexp.New(`^\s+at\s|^\s*File "|^goroutine \d`)

// trouble is the error at the end of an output for people: its line, and what follows. An output
// that is brief counts whole where it has no such line. Everything else is prose, where words about
// limits are no limits.
func trouble(output string) string {
	var lines []string
	for line := range strings.Lines(output) {
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" &&
			!frame.MatchString(line) {
			lines = append(lines, line)
		}
	}
	for i := len(lines) - 1; i >= max(0, len(lines)-maxTrouble); i-- {
		if errorLine.MatchString(lines[i]) {
			return strings.Join(lines[i:], "\n")
		}
	}
	if len(output) > maxBrief {
		return ""
	}
	return strings.Join(lines, "\n")
}

// plainly decides what the end of a program means that has no structured errors. done reports
// whether its result is there.
func (s *story) plainly(exit proc.Exit, done bool) {
	out := s.out
	if out.Err != "" || out.TimedOut || out.Lingered || done || strings.Contains(out.Final, "```") {
		return
	}
	said := strings.TrimSpace(out.Final) != ""
	why := trouble(exit.Tail)
	kind := classify(0, why)
	switch {
	case out.Signal != "":
		if out.Claims && !said {
			s.fail(0, cmp.Or(out.Message, "it was killed by "+out.Signal+
				" before it said anything"))
		}
	case slices.Contains(notRun, exit.Code): // it names what is not installed
	case exit.Code != 0 && kind != "":
		s.fail(0, why)
	case exit.Code != 0:
		if out.Claims && !said {
			s.crashed("")
		}
	case !out.Claims:
	case !said:
		s.crashed("")
	case errorWords.MatchString(why) && kind != "",
		len(exit.Tail) <= maxBrief && (kind == UsageLimit || kind == Refusal):
		s.fail(0, why)
	}
	if s.failed {
		out.Final = ""
	}
}
