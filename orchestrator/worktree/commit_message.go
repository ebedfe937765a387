package worktree

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	phaseTrailer = "Autobuild-Phase: "
	runTrailer   = "Autobuild-Run: "
	keyTrailer   = "Autobuild-Attempt: "
	verdictTrail = "Autobuild-Verdict: "
	contestTrail = "Autobuild-Contested: " // a file, and the test in it
	maxMessage   = 16 << 10                // bytes of a commit message, trailers included
)

// trail is the information in a commit about the attempt that made it.
type trail struct {
	phase, key, verdict string
	contested           []string // at most maxContested
}

// Bounds of the contested changes that a commit names.
const (
	maxContested = 50
	maxPlace     = 120 // bytes of one
)

// compose makes a commit message of any text: no control or direction characters, no trailers of
// ours in it but those that are true, never empty, never longer than maxMessage.
func compose(text string, by trail, run string) string {
	trailers := runTrailer + run + "\n"
	if by.key != "" {
		trailers += keyTrailer + by.key + "\n"
	}
	if by.verdict != "" {
		trailers += verdictTrail + by.verdict + "\n"
	}
	for _, what := range by.contested[:min(len(by.contested), maxContested)] {
		what = strings.Join(strings.Fields(clean(what)), " ")
		trailers += contestTrail + strings.ToValidUTF8(what[:min(len(what), maxPlace)], "") + "\n"
	}
	if by.phase != "" {
		trailers = phaseTrailer + by.phase + "\n" + trailers
	}
	body := clean(text)
	if limit := maxMessage - len(trailers) - 2; len(body) > limit {
		body = strings.TrimSpace(strings.ToValidUTF8(body[:limit], ""))
	}
	if body == "" {
		body = "autobuild: work of this run"
		if by.phase != "" {
			body = "autobuild: phase " + by.phase
		}
	}
	gap := "\n\n"
	if endsInTrailers(body) {
		gap = "\n"
	}
	return body + gap + trailers
}

func clean(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "?"), "\r\n", "\n")
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), r == utf8.RuneError, r >= 0x202a && r <= 0x202e, r >= 0x2066 &&
			r <= 0x2069, r == 0x2028, r == 0x2029, r == 0x200e, r == 0x200f:
			return -1
		}
		return r
	}, text)
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " \t")
		if !isTrailer(line) {
			lines = append(lines, line)
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// isTrailer reports whether a line passes for a trailer of ours, which git reads in any case.
func isTrailer(line string) bool {
	low := strings.ToLower(strings.TrimLeft(line, " \t"))
	return slices.ContainsFunc([]string{
		phaseTrailer, runTrailer, keyTrailer, verdictTrail,
		contestTrail,
	}, func(ours string) bool {
		return strings.HasPrefix(low, strings.ToLower(strings.TrimSpace(ours)))
	})
}

// endsInTrailers reports whether the last paragraph, not being the first, consists of trailers, so
// that ours join them.
func endsInTrailers(body string) bool {
	i := strings.LastIndex(body, "\n\n")
	if i < 0 {
		return false
	}
	for line := range strings.SplitSeq(body[i+2:], "\n") {
		key, _, ok := strings.Cut(line, ": ")
		if !ok || key == "" ||
			strings.ContainsFunc(key, func(r rune) bool {
				return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
			}) {
			return false
		}
	}
	return true
}

// readTrailers finds our trailers in the last paragraph of a message.
func readTrailers(message string) (run string, by trail) {
	message = strings.TrimSpace(message)
	if i := strings.LastIndex(message, "\n\n"); i >= 0 {
		message = message[i+2:]
	}
	for line := range strings.SplitSeq(message, "\n") {
		if v, ok := strings.CutPrefix(line, phaseTrailer); ok {
			by.phase = v
		}
		if v, ok := strings.CutPrefix(line, runTrailer); ok {
			run = v
		}
		if v, ok := strings.CutPrefix(line, keyTrailer); ok {
			by.key = v
		}
		if v, ok := strings.CutPrefix(line, verdictTrail); ok {
			by.verdict = v
		}
		if v, ok := strings.CutPrefix(line, contestTrail); ok && len(by.contested) < maxContested {
			by.contested = append(by.contested, v)
		}
	}
	return run, by
}
