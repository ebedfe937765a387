package referee

import (
	"path"
	"strings"

	"autobuild/orchestrator/verify/testunit"
	"autobuild/state"
)

// The runs that judge with the base's tests, as the names of their logs have them.
const (
	RunWhole = "referee" // the work's code with the base's referee files
	// the same, with the files that had to be adapted as they are in the work
	RunAdapted = "adapted"
	RunKept    = "kept" // the first, with tests that an earlier phase removed or weakened
)

// Key is how Outcome names a test: scope is the directory of a Go package, the file of a test where
// the runner prints it, and else empty; the names of suites and the test are joined by " > ".
func Key(scope, test string) string { return scope + "::" + test }

// BelowKey names everything below a directory in Outcome.Broken: a Rust crate that does not
// compile.
func BelowKey(dir string) string { return path.Join(dir, "...") }

// sawWhole reports whether the output has a passing file without names of its tests, as jest prints
// it for several files.
func (o Outcome) sawWhole(file string) bool {
	if !o.Passing[Key(file, "")] || file == "" || o.Skips {
		return false
	}
	for key := range o.Passing {
		if name, ok := strings.CutPrefix(key, Key(file, "")); ok && name != "" {
			return false
		}
	}
	return true
}

// Worse is the outcome without what failed on the base already.
func (o Outcome) Worse(before Outcome) Outcome {
	o.Failing = without(o.Failing, before.Failing)
	o.Broken = without(o.Broken, before.Broken)
	return o
}

func without(names, known map[string]bool) map[string]bool {
	var left map[string]bool
	for name := range names {
		if known[name] {
			continue
		}
		if left == nil {
			left = make(map[string]bool)
		}
		left[name] = true
	}
	return left
}

// seen is the result of one unit in an outcome.
type seen int

const (
	unknown seen = iota // the runner does not say
	passes
	fails
	cannotRun
)

// index finds units among the names of an outcome.
type index struct {
	run     Outcome
	passing map[string]bool // with every suffix and every parent of the names
	failing map[string]bool
}

func newIndex(run Outcome) index {
	return index{run: run, passing: spread(run.Passing), failing: spread(run.Failing)}
}

// spread adds the parents of names, because the rows of a table stand for their test, and the ends
// of names without a scope, because a runner may print more modules than the file shows.
func spread(names map[string]bool) map[string]bool {
	all := make(map[string]bool, 2*len(names))
	for key := range names {
		scope, name, _ := strings.Cut(key, "::")
		for _, part := range prefixes(name) {
			all[Key(scope, part)] = true
			if scope != "" {
				continue
			}
			for rest, ok := part, true; ok; _, rest, ok = strings.Cut(rest, testunit.Separator) {
				all[Key("", rest)] = true
			}
		}
	}
	return all
}

// prefixes are a name and the tests of which it may be a row or a subtest.
func prefixes(name string) []string {
	all := []string{name}
	for i := range name {
		switch {
		case name[i] == '/', name[i] == '[', name[i] == '(',
			strings.HasPrefix(name[i:], testunit.Separator):
			if part := strings.TrimSpace(name[:i]); part != "" {
				all = append(all, part)
			}
		}
	}
	return all
}

func keys(u testunit.Unit) []string {
	all := []string{Key(u.File, u.Name), Key(path.Dir(u.File), u.Name), Key("", u.Name)}
	if joined := strings.ReplaceAll(u.Name, testunit.Separator, " "); joined != u.Name {
		all = append(all, Key(u.File, joined), Key("", joined))
	}
	return all
}

// of returns the result of a unit in the run.
func (x index) of(u testunit.Unit) seen {
	if x.broken(u) {
		return cannotRun
	}
	if s := x.named(u); s != unknown {
		return s
	}
	switch {
	case x.run.Passed, x.passing[Key(u.File, "")], x.passing[Key(path.Dir(u.File), "")]:
		return passes
	case !x.run.Ran || len(x.run.Blind) > 0:
		return fails // a gate failed and does not say which test
	}
	return cannotRun // the tests of its file or package ended before it did
}

// broken reports whether the unit's file, package or crate could not be compiled or imported.
func (x index) broken(u testunit.Unit) bool {
	for _, key := range append(keys(u), u.File, path.Dir(u.File)) {
		if x.run.Broken[key] {
			return true
		}
	}
	for dir := path.Dir(u.File); ; dir = path.Dir(dir) {
		if x.run.Broken[BelowKey(dir)] {
			return true
		}
		if dir == "." || dir == "/" {
			return false
		}
	}
}

// named returns the result of a unit in the run by its name alone.
func (x index) named(u testunit.Unit) seen {
	for _, key := range keys(u) {
		switch {
		case x.failing[key]:
			return fails
		case x.passing[key]:
			return passes
		}
	}
	return unknown
}

// Fails reports whether a run shows a test failing by name.
func Fails(run Outcome, u testunit.Unit) bool {
	x := newIndex(run)
	return !x.broken(u) && x.named(u) == fails
}

// Unseen are the tests that passed on the base and were not seen passing by name afterwards,
// although their files are as they were: something switched them off. Changes that the referee run
// does not see passing either have no ruling.
func Unseen(
	m Classifier, base Source, edits []Edit, before, now, run Outcome,
) []state.RefereeChange {
	if before.Passing == nil {
		return nil
	}
	edited := make(map[string]bool, len(edits))
	for _, e := range edits {
		edited[e.Path] = true
	}
	was, is, ref := newIndex(before), newIndex(now), newIndex(run)
	var found []state.RefereeChange
	for _, file := range base.Paths() {
		if edited[file] || m.Class(file) != Test {
			continue
		}
		text, ok := base.Read(file)
		if !ok {
			continue
		}
		for _, u := range testunit.Units(file, text) {
			if u.Shared || u.Skip || was.named(u) != passes || is.named(u) != unknown ||
				now.sawWhole(u.File) {
				continue
			}
			c := state.RefereeChange{
				Cause: state.CauseUnseen, File: file, Line: u.First, Test: u.Name,
				What: "it passed on the base and was not seen passing",
			}
			if ref.named(u) == passes {
				c.Ruling = state.RulingRecorded
			}
			found = append(found, c)
		}
	}
	return found
}
