package failure

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"autobuild/internal/text"
)

// Bounds of a diagnosis, in bytes and elements. Evidence is the output of other programs, of any
// size and with any bytes; a diagnosis goes into a state file, a prompt and a terminal.
const (
	MaxMessage  = 240
	MaxDetails  = 4 << 10
	MaxGuidance = 2 << 10
	MaxField    = 400 // a name, a path, a message of one finding
	MaxList     = 50  // tests, places, files, conflicts
	MaxShown    = 10  // of a list, in running text
	maxExcerpt  = 2 << 10
	maxExcerpts = 12 // conflicts that keep theirs
)

// Line makes s one line of valid UTF-8 without control characters, of at most n bytes.
func Line(s string, n int) string {
	// runes have at most four bytes: the rest cannot be in the result
	if len(s) > 4*n {
		s = s[:4*n]
	}
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), unseen), " ")
	return text.Clip(s, n)
}

// unseen reports what a line is split at: white space, controls, and the marks that reorder text.
func unseen(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

// Head is the beginning of a text of several lines, in at most n bytes, cleaned as Line does.
func Head(s string, n int) string {
	if len(s) > 4*n {
		s = s[:4*n]
	}
	return text.Clip(clean(s), n)
}

// Tail is the end of a text of several lines, in at most n bytes, cleaned as Line does. It starts
// with a whole line where it holds more than one.
func Tail(s string, n int) string {
	if len(s) > 4*n {
		s = s[len(s)-4*n:]
	}
	if s = clean(s); len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	if _, rest, ok := strings.Cut(s, "\n"); ok {
		return rest
	}
	return s
}

// clean drops control characters and marks that reorder text, and blank lines at both ends.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Trim(s, "\n")
}

// Lines bounds a list to n strings of one-line strings; empty ones are left out.
func Lines(list []string, n int) []string {
	var out []string
	for _, s := range list {
		if len(out) == n {
			break
		}
		if s = Line(s, MaxField); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// Bounded is the diagnosis with each of its texts, lists and counts within the bounds. Guidance and
// Actions are not touched.
func (d Diagnosis) Bounded() Diagnosis {
	d.Message = Line(d.Message, MaxMessage)
	d.Details = Head(d.Details, MaxDetails)
	d.Gate, d.Command, d.FixCommand = Line(d.Gate, MaxField), Line(d.Command, MaxField),
		Line(d.FixCommand, MaxField)
	d.Tests, d.Places, d.Conflicts = boundTests(d.Tests), boundPlaces(d.Places),
		boundConflicts(d.Conflicts)
	d.Files, d.Claimed, d.Found = Lines(d.Files, MaxList), Lines(d.Claimed, MaxShown),
		Lines(d.Found, MaxShown)
	d.Activity, d.Package, d.RequiredBy = Line(d.Activity, MaxField), Line(d.Package, MaxField),
		Line(d.RequiredBy, MaxField)
	d.Needs, d.AtFault = Line(d.Needs, MaxMessage), Line(d.AtFault, MaxMessage)
	d.Count, d.After = max(d.Count, 0), max(d.After, 0)
	return d
}

func boundTests(tests []Test) []Test {
	var out []Test
	for _, t := range tests[:min(len(tests), MaxList)] {
		out = append(out, Test{
			Name: Line(t.Name, MaxField), File: Line(t.File, MaxField), Line: max(t.Line, 0),
			Message:  Line(t.Message, MaxField),
			Expected: Line(t.Expected, MaxField), Received: Line(t.Received, MaxField),
		})
	}
	return out
}

func boundPlaces(places []Place) []Place {
	var out []Place
	for _, p := range places[:min(len(places), MaxList)] {
		out = append(out, Place{
			Line(p.File, MaxField), max(p.Line, 0), max(p.Col, 0),
			Line(p.Rule, MaxField), Line(p.Message, MaxField),
		})
	}
	return out
}

func boundConflicts(conflicts []Conflict) []Conflict {
	var out []Conflict
	for i, c := range conflicts[:min(len(conflicts), MaxList)] {
		if i >= maxExcerpts {
			c.Excerpt = ""
		}
		out = append(out, Conflict{
			Line(c.File, MaxField), Line(c.Phase, MaxField), Line(c.Lines, MaxField),
			Line(c.Other, MaxField), Line(c.OtherLines, MaxField), Head(c.Excerpt, maxExcerpt),
		})
	}
	return out
}
