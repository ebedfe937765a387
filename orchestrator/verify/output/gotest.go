package output

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/state"
)

// maxRunning is how many tests that have not ended are remembered.
const maxRunning = 1000

var (
	goResult  = lazyregexp.New(`^\s*--- (FAIL|PASS|SKIP): (\S+) \([\d.]+s\)`)
	goRunning = lazyregexp.New(`^=== (?:RUN|CONT|NAME)\s+(\S+)`)
	goNote    = lazyregexp.New(`^\s+(\S+\.go):(\d+): (.*)`)
	goPackage = lazyregexp.New(`^(ok|FAIL|\?)\s+(\S+)\s+(?:[\d.]+s|\(cached\)|\[.*\])`)
	goFrame   = lazyregexp.New(`^\s+(\S+\.go):(\d+)(?: \+0x[0-9a-f]+)?$`)
	goPanic   = lazyregexp.New(`^(?:panic: |fatal error: )(.*)`)
)

// goTest reads the text of go test, with and without -v. A test whose subtests fail is not counted
// itself.
type goTest struct {
	report
	Paths
	notes   map[string]state.Test // of tests that have not ended
	current string                // the package of this output
	from    int                   // tests of earlier packages
	panics  bool
	verbose bool
}

func (g *goTest) line(s string) {
	if g.notes == nil {
		g.notes = map[string]state.Test{}
	}
	if m := goRunning.FindStringSubmatch(s); m != nil {
		g.current, g.verbose = m[1], true
		return
	}
	if m := goResult.FindStringSubmatch(s); m != nil {
		g.result(m[1], m[2])
		return
	}
	if m := goPackage.FindStringSubmatch(s); m != nil {
		g.finish(m[2])
		return
	}
	if m := goPanic.FindStringSubmatch(s); m != nil {
		g.panics = true
		g.note("", "", "panic: "+m[1])
		return
	}
	if m := goFrame.FindStringSubmatch(s); m != nil && g.panics &&
		strings.HasSuffix(m[1], "_test.go") && g.inside(m[1]) {
		g.note(g.rel(m[1]), m[2], "")
		g.panics = false
		return
	}
	if m := goNote.FindStringSubmatch(s); m != nil {
		g.note(m[1], m[2], m[3])
	}
}

// note keeps the first thing that the current test says.
func (g *goTest) note(file, line, message string) {
	if t := g.failing(g.current); t != nil {
		explain(t, message)
		locate(t, file, line)
		return
	}
	if g.current == "" || len(g.notes) >= maxRunning {
		return
	}
	t := g.notes[g.current]
	explain(&t, message)
	locate(&t, file, line)
	g.notes[g.current] = t
}

// failing is the failed test of that name in the package being read.
func (g *goTest) failing(name string) *state.Test {
	for i := g.from; i < len(g.tests); i++ {
		if g.tests[i].Name == name {
			return &g.tests[i]
		}
	}
	return nil
}

// hasFailing reports whether a subtest of this package has failed; -json prints it before its
// parent.
func (g *goTest) hasFailing(prefix string) bool {
	return slices.ContainsFunc(g.tests[g.from:],
		func(t state.Test) bool { return strings.HasPrefix(t.Name, prefix) })
}

func (g *goTest) result(status, name string) {
	g.known = true
	note := g.notes[name]
	delete(g.notes, name)
	if status != "SKIP" && g.verbose { // without -v only the failed ones are named
		g.ran++
	}
	g.current = name
	if status != "FAIL" || g.hasFailing(name+"/") {
		return
	}
	if parent := path.Dir(name); parent != "." { // a subtest represents its parents
		for i := g.from; i < len(g.tests); i++ {
			if p := g.tests[i].Name; p == parent || strings.HasPrefix(parent, p+"/") {
				g.tests = append(g.tests[:i], g.tests[i+1:]...)
				g.total--
				break
			}
		}
	}
	t := g.fail(name, "")
	explain(t, note.Message)
	locate(t, note.File, "")
	t.Line = note.Line
}

// finish ends a package: only now is it known in which directory its files are.
func (g *goTest) finish(pkg string) {
	g.known = true
	for i := g.from; i < len(g.tests); i++ {
		if f := g.tests[i].File; f != "" && !strings.Contains(f, "/") {
			g.tests[i].File = g.ofPackage(pkg, f)
		}
	}
	g.from, g.current, g.panics = len(g.tests), "", false
	clear(g.notes)
}

// ofPackage is the path of a package's file.
func (p Paths) ofPackage(pkg, file string) string {
	if rest, ok := strings.CutPrefix(pkg, p.module); ok && p.module != "" &&
		(rest == "" || rest[0] == '/') {
		return path.Join(strings.TrimPrefix(rest, "/"), file)
	}
	return file
}

// goJSON reads go test -json by giving the text inside to a goTest a package, because the events of
// several packages are interleaved.
type goJSON struct {
	report
	Paths
	packages map[string]*goTest
}

func (g *goJSON) line(s string) {
	if !strings.HasPrefix(s, `{"`) || !strings.Contains(s, `"Action":`) {
		return
	}
	var e struct{ Action, Package, Test, Output string }
	if err := json.Unmarshal([]byte(s), &e); err != nil || e.Package == "" {
		return
	}
	g.known = true
	if g.packages == nil {
		g.packages = map[string]*goTest{}
	}
	p := g.packages[e.Package]
	if p == nil {
		if len(g.packages) >= maxRunning {
			return
		}
		p = &goTest{Paths: g.Paths}
		g.packages[e.Package] = p
	}
	switch {
	case e.Action == "output":
		if e.Test != "" {
			p.current = e.Test
		}
		p.line(plain(strings.TrimRight(e.Output, "\n")))
	case e.Test == "" && (e.Action == "pass" || e.Action == "fail" || e.Action == "skip"):
		p.finish(e.Package)
		g.take(p)
		delete(g.packages, e.Package)
	}
}

// take adds a package that has ended.
func (g *goJSON) take(p *goTest) {
	g.ran += p.ran
	g.total += p.total - len(p.tests)
	for _, t := range p.tests {
		*g.fail(t.Name, t.File) = t
	}
}

// goOutput is the text inside an event of go test -json that belongs to a compiler.
func goOutput(s string) string {
	var e struct{ Action, Output string }
	if !strings.Contains(s, `"build-output"`) || json.Unmarshal([]byte(s), &e) != nil {
		return s
	}
	return strings.TrimRight(e.Output, "\n")
}
