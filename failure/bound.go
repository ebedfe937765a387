package failure

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"autobuild/internal/text"
)

// What a diagnosis may hold. Evidence is other programs' output: it can have any size and any
// bytes, and a diagnosis goes into a state file, a prompt and a terminal.
const (
	maxMessage  = 240
	maxDetails  = 4 << 10
	maxGuidance = 2 << 10
	maxField    = 400 // a name, a path, a message of one finding
	maxList     = 50  // tests, places, files, conflicts
	maxShown    = 10  // of a list, in running text
	maxExcerpt  = 2 << 10
	maxExcerpts = 12 // conflicts that keep theirs
)

// line makes s one line of valid UTF-8 without control characters, of at most n bytes.
func line(s string, n int) string {
	if len(s) > 4*n { // what follows could not be shown; runes are at most four bytes
		s = s[:4*n]
	}
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), unseen), " ")
	return text.Clip(s, n)
}

// unseen reports what a line is split at: white space, controls, and the marks that reorder text.
func unseen(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

// block is line for text of several lines. It keeps the end when tail is set, else the beginning.
func block(s string, n int, tail bool) string {
	if len(s) > 4*n {
		if tail {
			s = s[len(s)-4*n:]
		} else {
			s = s[:4*n]
		}
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, s)
	s = strings.Trim(s, "\n")
	if !tail {
		return text.Clip(s, n)
	}
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	if _, rest, ok := strings.Cut(s, "\n"); ok { // a line without its beginning misleads
		return rest
	}
	return s
}

// lines bounds a list of one-line strings; empty ones are left out.
func lines(list []string, n int) []string {
	var out []string
	for _, s := range list {
		if len(out) == n {
			break
		}
		if s = line(s, maxField); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func boundTests(tests []Test) []Test {
	var out []Test
	for _, t := range tests[:min(len(tests), maxList)] {
		out = append(out, Test{
			Name: line(t.Name, maxField), File: line(t.File, maxField), Line: max(t.Line, 0), Message: line(t.Message, maxField),
			Expected: line(t.Expected, maxField), Received: line(t.Received, maxField),
		})
	}
	return out
}

func boundPlaces(places []Place) []Place {
	var out []Place
	for _, p := range places[:min(len(places), maxList)] {
		out = append(out, Place{
			line(p.File, maxField), max(p.Line, 0), max(p.Col, 0),
			line(p.Rule, maxField), line(p.Message, maxField),
		})
	}
	return out
}

func boundConflicts(conflicts []Conflict) []Conflict {
	var out []Conflict
	for i, c := range conflicts[:min(len(conflicts), maxList)] {
		if i >= maxExcerpts {
			c.Excerpt = ""
		}
		out = append(out, Conflict{
			line(c.File, maxField), line(c.Phase, maxField), line(c.Lines, maxField),
			line(c.Other, maxField), line(c.OtherLines, maxField), block(c.Excerpt, maxExcerpt, false),
		})
	}
	return out
}
