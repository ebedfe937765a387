package referee

import (
	"hash/fnv"
	"path"
	"strings"
)

// Unit is one test of a file, or the part of a test file that its tests share.
type Unit struct {
	File  string
	Name  string // " > " between the names of suites and the test; empty: what the tests of the file share
	First int    // line in File, from 1
	Last  int
	Lines []string // normalised: no comments, one space between words, no empty lines
	Skip  bool     // the runner does not run it, or it ends before its first assertion

	Asserts []string // the lines of Lines that assert something
	Values  []string // literals that assertions compare with, sorted
	Shared  bool     // not a test: helpers, tables and hooks of the file
}

// separator stands between the names of suites and the test, whatever the runner prints there.
const separator = " > "

// Body is the unit's text as far as it means something.
func (u Unit) Body() string { return strings.Join(u.Lines, "\n") }

// essence is the same for two units with one body, whatever their names.
func (u Unit) essence() uint64 {
	lines := u.Lines
	if len(lines) > 1 && !u.Shared {
		lines = lines[1:] // the head carries the name
	}
	h := fnv.New64a()
	h.Write([]byte(path.Ext(u.File)))
	for _, line := range lines {
		h.Write([]byte(line + "\n"))
	}
	return h.Sum64()
}

// finders parse the languages whose tests are found one by one.
var finders = map[string]func(file, text string) []Unit{
	".go": goUnits,
}

// Units lists the tests of a file in order, and with them what they share. A file in which no single test is recognised is
// one test: its assertions still count. The caller decides whether the file is one that holds tests.
func Units(file, text string) []Unit {
	if find := finders[strings.ToLower(path.Ext(file))]; find != nil {
		if units := find(file, text); len(units) > 0 {
			return units
		}
	}
	return []Unit{wholeFile(file, text)}
}
