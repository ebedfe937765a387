package failure

import (
	"cmp"
	"fmt"
	"strings"

	"autobuild/internal/lazyregexp"
)

// The ways in which test runners say what was expected and what came instead. One group is the
// value; of two, the first.
var (
	expectedLine = lazyregexp.New(`(?i)^\W{0,4}expected(?: value| result)?\s*[:=]\s*(\S.*)$`)
	receivedLine = lazyregexp.New(
		`(?i)^\W{0,4}(?:received|actual|got|but was|but got)(?: value| result)?\s*[:=]\s*(\S.*)$`)
	leftLine = lazyregexp.New(
		`^\s*left: (\S.*)$`) // Rust compares what came with what should have
	rightLine  = lazyregexp.New(`^\s*right: (\S.*)$`) // …
	wantedPair = lazyregexp.New(
		`(?i)\b(?:expected|want(?:ed)?):? (.+?)[,;]? (?:but )?(?:got|received|was|actual|found)(?: instead)?:? (.+)$`)
	gotPair  = lazyregexp.New(`(?i)(?:\bgot:? |= )(.+?)[,;]? want(?:ed)?:? (.+)$`)
	chaiPair = lazyregexp.New(
		`\bexpected (.+?) to (?:(?:strictly |deeply )?equal|be|deep equal|match) (.+?)(?: // .*)?$`)
	pythonPair = lazyregexp.New(`^(?:E\s+)?(?:AssertionError: )?assert (.+?) == (.+?)(?:, .*)?$`)
	unlikePair = lazyregexp.New(`^(?:E\s+)?AssertionError: (.+?) != (.+?)(?: : .*)?$`)
	// frame is what a framework prints before every such pair, and says nothing by itself.
	frame = lazyregexp.New(
		`^(?:expect\(.*|AssertionError(?: \[ERR_ASSERTION\])?:?|assert(?:ion)? failed:?.*|Expected values to be strictly (?:deep-)?equal:?|.*\bassertion .left == right. failed.*|Not equal:?|Error Trace:?.*)$`)
)

// Compared finds in one line of a test's output what was expected and what came instead; each may
// be empty.
func Compared(l string) (expected, received string) {
	l = Line(l, MaxField)
	for _, way := range []struct {
		re           *lazyregexp.Regexp
		want, gotten int
	}{
		{chaiPair, 2, 1},
		{pythonPair, 2, 1},
		{unlikePair, 2, 1},
		{gotPair, 2, 1},
		{wantedPair, 1, 2},
		{expectedLine, 1, 0},
		{receivedLine, 0, 1},
		{rightLine, 1, 0},
		{leftLine, 0, 1},
	} {
		m := way.re.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		if way.want > 0 {
			expected = strings.TrimSpace(m[way.want])
		}
		if way.gotten > 0 {
			received = strings.TrimSpace(m[way.gotten])
		}
		return expected, received
	}
	return "", ""
}

// Compare takes from one line of the test's output what was expected and what came instead, where
// that is not known yet.
func (t *Test) Compare(l string) {
	if t.Expected != "" && t.Received != "" {
		return
	}
	expected, received := Compared(l)
	t.Expected, t.Received = cmp.Or(t.Expected, expected), cmp.Or(t.Received, received)
}

// Place is "file:line", as far as it is known.
func (t Test) Place() string {
	if t.File == "" || t.Line <= 0 {
		return t.File
	}
	return fmt.Sprintf("%s:%d", t.File, t.Line)
}

// Said is what went wrong: the test's own words, and what was expected and received where they do
// not say it.
func (t Test) Said() string {
	said := t.Message
	values := ""
	switch {
	case t.Expected != "" && t.Received != "":
		values = "expected " + t.Expected + ", received " + t.Received
	case t.Expected != "":
		values = "expected " + t.Expected
	case t.Received != "":
		values = "received " + t.Received
	}
	expected, received := Compared(said)
	switch {
	case values == "":
		return said
	case said == "" || frame.MatchString(said) || expected+received != "":
		return values
	}
	return said + "; " + values
}

// String is a failing test in one wording, which every screen, prompt and report uses: name, place,
// what was expected and received.
func (t Test) String() string {
	what := t.Name
	if place := t.Place(); what == "" {
		what = place
	} else if place != "" {
		what += " (" + place + ")"
	}
	if said := t.Said(); said != "" {
		return what + ": " + said
	}
	return what
}

// String is a finding in one wording: "file:line:col: message [rule]".
func (p Place) String() string {
	said := p.Message
	if p.Rule != "" {
		said += " [" + p.Rule + "]"
	}
	said = strings.TrimSpace(said)
	where := Test{File: p.File, Line: p.Line}.Place()
	if p.File != "" && p.Line > 0 && p.Col > 0 {
		where = fmt.Sprintf("%s:%d", where, p.Col)
	}
	if said == "" {
		return where
	}
	return where + ": " + said
}
