// Package testunit finds the tests in a source file: their names, lines, assertions, expected
// values, and whether they run. Go is parsed; the other languages are read as text whose comments
// and strings are masked, which is enough to find names and brackets. It does not know which files
// hold tests, and it does not run any.
package testunit

import (
	"hash/fnv"
	"path"
	"strings"

	"autobuild/internal/lazyregexp"
)

// Unit is one test of a file, or the part of a test file that its tests share.
type Unit struct {
	File string
	// " > " between the names of suites and the test; empty: the shared part of the file
	Name  string
	First int // line in File, from 1
	Last  int
	Lines []string // normalised: no comments, one space between words, no empty lines
	Skip  bool     // the runner does not run it, or it ends before its first assertion

	Asserts []string // the lines of Lines that assert something
	Values  []string // literals that assertions compare with, sorted
	Shared  bool     // not a test: helpers, tables and hooks of the file
}

// Separator stands between the names of suites and the test, for all runners.
const Separator = " > "

// Body is the unit's text as far as it means something.
func (u Unit) Body() string { return strings.Join(u.Lines, "\n") }

// Essence is the same for two units with one body, under any names.
func (u Unit) Essence() uint64 {
	suites := strings.Split(u.Name, Separator)
	name := suites[len(suites)-1]
	h := fnv.New64a()
	h.Write([]byte(path.Ext(u.File)))
	for _, line := range u.Lines {
		if at := strings.Index(line, name); at >= 0 && name != "" && !u.Shared {
			line, name = line[:at]+line[at+len(name):], "" // the head
		}
		h.Write([]byte(line + "\n"))
	}
	return h.Sum64()
}

// finders parse the languages whose tests are found one by one.
var finders = map[string]func(file, text string) []Unit{
	".go": goUnits,
	".js": jsUnits, ".jsx": jsUnits, ".mjs": jsUnits, ".cjs": jsUnits,
	".ts": jsUnits, ".tsx": jsUnits, ".mts": jsUnits, ".cts": jsUnits,
	".dart": jsUnits,
	".py":   pyUnits,
	".rb":   rubyIndented.units, ".exs": elixirIndented.units,
	".rs":   rustBraced.units,
	".java": javaBraced.units, ".kt": javaBraced.units, ".kts": javaBraced.units,
	".scala": javaBraced.units, ".groovy": javaBraced.units,
	".cs":  netBraced.units,
	".php": phpBraced.units, ".swift": swiftBraced.units,
	".c": gtestBraced.units, ".cc": gtestBraced.units, ".cpp": gtestBraced.units,
	".bats": batsBraced.units,
}

// Units lists the tests of a file in order, and with them what they share. A file in which no
// single test is recognised is one test: its assertions still count. The caller decides whether the
// file is one that holds tests.
func Units(file, text string) []Unit {
	if find := finders[strings.ToLower(path.Ext(file))]; find != nil {
		if units := find(file, text); len(units) > 0 {
			return units
		}
	}
	return []Unit{wholeFile(file, text)}
}

// collectors are the names by which runners find files of tests; a suffix without a row has none.
var collectors = map[string]*lazyregexp.Regexp{
	".go": lazyregexp.New(`^(?:[^_.][^/]*/)*[^_.][^/]*_test\.go$`),
	".py": lazyregexp.New(`(?:^|/)(?:test_[^/]*|[^/]*_test|tests?)\.py$`),
	".js": lazyregexp.New(
		`[._-](?:test|spec)\.[cm]?[jt]sx?$|(?:^|/)__tests__/|(?:^|/)test(?:-[^/]*)?\.[cm]?js$`),
	".rb": lazyregexp.New(`_(?:spec|test)\.rb$|(?:^|/)test_[^/]*\.rb$`),
	".rs": lazyregexp.New(`(?:^|/)src/|(?:^|/)(?:tests|benches)/(?:[^/]+|[^/]+/main)\.rs$`),
}

// Lost reports whether runners that find a file by its name would not find it by the other: tests
// that moved there are gone.
func Lost(from, to string) bool {
	ext := strings.ToLower(path.Ext(from))
	if _, ok := syntaxes[ext]; ok && syntaxes[ext].slash {
		ext = ".js"
	}
	c := collectors[ext]
	if c == nil {
		return path.Ext(from) != path.Ext(to)
	}
	return c.MatchString(from) && (!c.MatchString(to) || ext == ".go" && inTestdata(to) &&
		!inTestdata(from))
}

func inTestdata(file string) bool { return strings.Contains("/"+file, "/testdata/") }
