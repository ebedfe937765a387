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

// errorWords begin what agents pass on of an error.
var errorWords = lazyregexp.New(`(?i)^\W*(api |execution |fatal )?(error|failed to)\b`)

// frame is a line of a stack.
var frame = lazyregexp.New(`(?m)^\s+at\s|^\s*File "|^goroutine \d`)

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

const (
	// maxNotice bounds an output with exit code 0 that is an error and no more, in bytes.
	maxNotice = 400
	// maxNoticeWords bounds such an output that does not turn to a person, in words.
	maxNoticeWords = 6
)

// work matches words by which an agent gives an account of its work.
var work = lazyregexp.New(`(?i)\b(i|we)(['’]ve| have| did)? [a-z]+ed\b|\b(i|we)(['’]ve| have) |` +
	`\b(note that|already|nothing to|no changes?|done|(add|implement|updat|refactor|fix|creat)(ed|s))\b`)

// addressed matches words by which an error turns to a person, and its name.
var addressed = lazyregexp.New(
	`(?i)\b(you|your|please|sorry)\b|(^|\s)/\w+|(error|exception):`)

// notice reports whether an output with exit code 0 is an error and nothing else: it is short,
// turns to a person or has a few words, has no account of work, and the agent has changed no file.
func notice(output string, untouched bool) bool {
	return untouched && len(strings.TrimSpace(output)) <= maxNotice &&
		(addressed.MatchString(output) || len(strings.Fields(output)) <= maxNoticeWords) &&
		!work.MatchString(output)
}

// plainly decides what the end of a program means that has no structured errors. done reports
// whether its result is there, untouched whether it has changed no file.
func (s *story) plainly(exit proc.Exit, done bool, untouched func() bool) {
	out := s.out
	if out.Err != "" || out.TimedOut || out.Lingered || done || strings.Contains(out.Final, "```") {
		return
	}
	said := strings.TrimSpace(out.Final) != ""
	f := fault{said: trouble(exit.Tail), around: lastLines(exit.Tail)}
	f.prose = said && !errorLine.MatchString(f.said)
	kind := read(f, s.now()).kind
	switch {
	case out.Signal != "":
		if out.Claims && !said {
			s.fail(0, cmp.Or(out.Message, "it was killed by "+out.Signal+
				" before it said anything"))
		}
	case slices.Contains(notRun, exit.Code):
		s.crashed("")
	case exit.Code != 0 && kind != "":
		s.failBy(f)
	case exit.Code != 0:
		if out.Claims && (!said || len(exit.Tail) <= maxBrief && incomplete.MatchString(f.said)) {
			s.crashed("")
		}
	case kind == "":
		if out.Claims && !said {
			s.crashed("")
		}
	case errorWords.MatchString(f.said) && (out.Claims || untouched()),
		notice(exit.Tail, untouched()):
		s.failBy(f)
	}
	if s.failed {
		out.Final = ""
	}
}

// lastLines is the end of an output in which the line of its error is looked for.
func lastLines(output string) string {
	lines := strings.Split(strings.TrimRight(output, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-maxTrouble):], "\n")
}
