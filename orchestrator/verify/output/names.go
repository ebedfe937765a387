package output

import (
	"encoding/json"
	"path"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/orchestrator/verify/referee"
	"autobuild/state"
)

// maxNames bounds the names of tests that are kept of one gate. Where there are more, none are
// known.
const maxNames = 200_000

// Names gathers which tests a gate's output shows as passing, as failing and as impossible to
// build. It sees every line, in order, and keeps names only.
type Names struct {
	Paths
	passing, failing, broken map[string]bool
	full                     bool // more than maxNames, or a part of the output was left out

	goTests map[string]bool // of the package being read: name → passed
	goAll   bool            // go test -v: passing tests are named too
	// of node's and mocha's trees, jest's and rspec's files: names around the line, by depth
	suites   []string
	file     string // jest, vitest: the file that the lines are about
	crate    string // cargo: of tests/NAME.rs, whose names have no module
	tap      bool
	subtests []string // TAP
	culprit  string   // node: the file of the last stack
	since    int      // … and how many lines ago
	section  string   // pytest: the test of the failure that is shown
	missing  []string // pytest, unittest: tests that failed because a name is not there
	spec     bool     // node's spec reporter: its recap follows
	vitest   bool
	skips    bool // jest: some tests were skipped
}

// NewNames gathers names of tests from an output that was printed at a place.
func NewNames(where Paths) *Names {
	return &Names{
		Paths: where, passing: map[string]bool{}, failing: map[string]bool{},
		broken:  map[string]bool{},
		goTests: map[string]bool{},
	}
}

func (n *Names) put(set map[string]bool, key string) {
	if len(n.passing)+len(n.failing)+len(n.broken) >= maxNames {
		n.full = true
		return
	}
	set[clip(key)] = true
}

func (n *Names) pass(scope, name string) { n.put(n.passing, referee.Key(scope, name)) }
func (n *Names) fail(scope, name string) { n.put(n.failing, referee.Key(scope, name)) }

func (n *Names) result(ok bool, scope, name string) {
	if ok {
		n.pass(scope, name)
	} else {
		n.fail(scope, name)
	}
}

func (n *Names) line(s string) {
	switch {
	case n.goLine(s), n.pytestLine(s), n.unittestLine(s), n.cargoLine(s):
	default:
		n.nodeTrouble(s)
		if !n.tapLine(s) && !n.jestLine(s) {
			n.treeLine(s)
		}
	}
}

// Into adds what a gate showed to the outcome of all.
func (n *Names) Into(o *referee.Outcome, g state.Gate) {
	for _, name := range n.missing {
		for key := range n.failing {
			if strings.HasSuffix(key, "::"+name) {
				delete(n.failing, key)
				n.broken[key] = true
			}
		}
	}
	if len(n.failing)+len(n.broken) == 0 {
		for _, t := range g.Tests { // of runners that name failing tests only
			n.fail("", failedName(t.Name))
		}
	}
	failed := g.Status != state.GatePassed && g.Status != state.GateNotAvailable
	if failed && len(n.failing)+len(n.broken) == 0 &&
		(g.Kind == state.KindTest || g.Kind == state.KindCustom) {
		o.Blind = append(o.Blind, g.Name)
	}
	if n.full {
		return
	}
	o.Skips = o.Skips || n.skips
	merge(&o.Passing, n.passing)
	merge(&o.Failing, n.failing)
	merge(&o.Broken, n.broken)
}

var nameBreak = lazyregexp.New(`(?:::|#| › |\\)+`)

// failedName is a name of Gate.Tests: Class#test, Class::test, a.b.Class.test.
func failedName(name string) string {
	parts := nameBreak.Split(name, -1)
	if last := strings.Split(name, "."); len(parts) == 1 && !strings.Contains(name, " ") {
		parts = last
	}
	return strings.Join(parts[max(0, len(parts)-2):], " > ")
}

func merge(into *map[string]bool, names map[string]bool) {
	for name := range names {
		if *into == nil {
			*into = make(map[string]bool, len(names))
		}
		(*into)[name] = true
	}
}

var (
	goEnd   = lazyregexp.New(`^(ok|FAIL|\?)\s+(\S+)(?:\s+(.*))?$`)
	goBuilt = lazyregexp.New(`^\[(?:build|setup) failed\]`)
)

// goLine reads go test; its names wait for the line that says their package.
func (n *Names) goLine(s string) bool {
	if strings.HasPrefix(s, "=== RUN ") {
		n.goAll = true
		return true
	}
	if m := goResult.FindStringSubmatch(s); m != nil {
		if m[1] != "SKIP" && len(n.goTests) < maxNames {
			n.goTests[m[2]] = m[1] == "PASS"
		}
		return true
	}
	m := goEnd.FindStringSubmatch(s)
	if m == nil || !goPackage.MatchString(s) {
		return false
	}
	dir, ok := n.packageDir(m[2])
	if !ok {
		return true
	}
	if goBuilt.MatchString(m[3]) {
		n.put(n.broken, dir)
	}
	if m[1] == "ok" && !n.goAll {
		n.pass(dir, "")
	}
	for name, passed := range n.goTests {
		n.result(passed, dir, name)
	}
	if m[1] == "FAIL" && !n.broken[dir] && len(n.goTests) == 0 {
		n.fail(dir, "") // it ended before a test did
	}
	clear(n.goTests)
	return true
}

// packageDir is the directory of a package of the module; false for what is none of its packages.
func (p Paths) packageDir(pkg string) (string, bool) {
	if p.module == "" || pkg != p.module && !strings.HasPrefix(pkg, p.module+"/") {
		if strings.Contains(pkg, "/") || p.module != "" {
			return "", p.module == "" && pkg != ""
		}
	}
	if p.module == "" {
		return "", true
	}
	return path.Join(".", strings.TrimPrefix(strings.TrimPrefix(pkg, p.module), "/")), true
}

// goEvent reads go test -json.
func (n *Names) goEvent(s string) {
	var e struct{ Action, Package, Test, FailedBuild string }
	if !strings.Contains(s, `"Action":`) || json.Unmarshal([]byte(s), &e) != nil ||
		e.Package == "" {
		return
	}
	dir, ok := n.packageDir(e.Package)
	switch {
	case !ok:
	case e.FailedBuild != "":
		n.put(n.broken, dir)
	case e.Test != "" && e.Action == "pass":
		n.pass(dir, e.Test)
	case e.Test != "" && e.Action == "fail":
		n.fail(dir, e.Test)
	}
}

var (
	pyVerbose = lazyregexp.New(
		`^(?:\[gw\d+\] \[ *\d+%\] )?(\S+\.py)::(.+?) (PASSED|FAILED|ERROR)(?: +\[ *\d+%\])?$`)
	pyResult = lazyregexp.New(
		`^(?:\[gw\d+\] \[ *\d+%\] )?(PASSED|FAILED|ERROR) (\S+?\.py)(?:::(.+?))?(?: - .*)?$`)
	pyDots = lazyregexp.New(`^(\S+\.py) \.+(?: +\[ *\d+%\])?$`)
	// absent is an error because the code has no such name, or takes other arguments.
	absent = lazyregexp.New(
		`^(?:E +)?(?:AttributeError: .*has no attribute|NameError: name|ImportError: |ModuleNotFoundError: |` +
			`TypeError: .*(?:missing \d+ required|unexpected keyword argument|takes .* positional argument)|` +
			`(?:Type|Reference)Error: \S+ is not (?:a function|a constructor|defined))`)
)

func (n *Names) pytestLine(s string) bool {
	if m := pyHeader.FindStringSubmatch(s); m != nil {
		n.section = strings.ReplaceAll(m[1], ".", " > ")
		return true
	}
	if n.section != "" && strings.HasPrefix(s, "E  ") {
		if absent.MatchString(s) && len(n.missing) < maxRunning {
			n.missing = append(n.missing, n.section)
		}
		return true
	}
	if m := pyVerbose.FindStringSubmatch(s); m != nil {
		n.result(m[3] == "PASSED", n.rel(m[1]), pyName(m[2]))
		return true
	}
	if m := pyResult.FindStringSubmatch(s); m != nil {
		if m[3] == "" {
			n.put(n.broken, n.rel(m[2]))
		} else {
			n.result(m[1] == "PASSED", n.rel(m[2]), pyName(m[3]))
		}
		return true
	}
	if m := pyDots.FindStringSubmatch(s); m != nil {
		n.pass(n.rel(m[1]), "")
		return true
	}
	return false
}

func pyName(s string) string { return strings.ReplaceAll(s, "::", " > ") }

var (
	unitResult = lazyregexp.New(`^(\w+) \(([\w.]+)\)(?:.*? \.\.\. | \.\.\. )(ok|FAIL|ERROR)$`)
	unitBroken = lazyregexp.New(`^(?:\w+: )?([\w.]+) \(unittest\.loader\._FailedTest`)
	unitError  = lazyregexp.New(`^(FAIL|ERROR): (\w+) \(([\w.]+)\)$`)
)

// unittestLine reads Python's own runner: test (module.Class) or test (module.Class.test).
func (n *Names) unittestLine(s string) bool {
	if m := unitBroken.FindStringSubmatch(s); m != nil {
		n.put(n.broken, strings.ReplaceAll(m[1], ".", "/")+".py")
		return true
	}
	if m := unitResult.FindStringSubmatch(s); m != nil {
		file, name := unitName(m[1], m[2])
		n.result(m[3] == "ok", file, name)
		return true
	}
	if m := unitError.FindStringSubmatch(s); m != nil {
		file, name := unitName(m[2], m[3])
		n.fail(file, name)
		n.section = name
		return true
	}
	if n.section != "" && absent.MatchString(s) && len(n.missing) < maxRunning {
		n.missing = append(n.missing, n.section)
		return true
	}
	return false
}

func unitName(test, at string) (file, name string) {
	at = strings.TrimSuffix(at, "."+test)
	i := strings.LastIndex(at, ".")
	if i < 0 {
		return "", test
	}
	return strings.ReplaceAll(at[:i], ".", "/") + ".py", at[i+1:] + " > " + test
}

var (
	cargoLine    = lazyregexp.New(`^test (\S+)(?: - .*)? \.\.\. (ok|FAILED)$`)
	cargoRunning = lazyregexp.New(`^\s+Running (?:unittests )?(\S+\.rs) \(`)
	cargoBuild   = lazyregexp.New(
		"^error: could not compile `[^`]+` \\((lib test|bin \"[^\"]+\" test|test " +
			"\"([^\"]+)\"|lib)\\)")
)

// cargoLine reads cargo test. Its Running lines go to the same output, and say which file's tests
// follow.
func (n *Names) cargoLine(s string) bool {
	if m := cargoRunning.FindStringSubmatch(s); m != nil {
		n.crate = ""
		if strings.Contains("/"+m[1], "/tests/") {
			n.crate = m[1]
		}
		return true
	}
	if m := cargoBuild.FindStringSubmatch(s); m != nil {
		if m[2] != "" {
			n.put(n.broken, "tests/"+m[2]+".rs")
		} else {
			n.put(n.broken, referee.BelowKey("."))
		}
		return true
	}
	if m := cargoLine.FindStringSubmatch(s); m != nil {
		n.result(m[2] == "ok", n.crate, strings.ReplaceAll(m[1], "::", " > "))
		return true
	}
	return false
}
