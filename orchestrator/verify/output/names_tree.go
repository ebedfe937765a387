package output

import (
	"strings"

	"autobuild/internal/lazyregexp"
)

var (
	stackFile = lazyregexp.New(`^(?:# )?\s*(?:file://)?(/[^\s:]+\.[cm]?[jt]sx?):\d+$`)
	notThere  = lazyregexp.New(
		`^(?:# )?\s*(?:SyntaxError: The requested module|.*(?:Cannot find (?:module|package)|ERR_MODULE_NOT_FOUND|No "exports"))`)
	tapFile    = lazyregexp.New(`\.[cm]?[jt]sx?$|\.(?:t|sh|bats|py)$`)
	tapOutcome = lazyregexp.New(
		`^( *)(not ok|ok) \d+(?: - | )?(.*?)(?: # ?((?i:skip|todo)\b.*|time=.*|in \d+.*))?$`)
)

// nodeTrouble notices a file that imports what is not there.
func (n *Names) nodeTrouble(s string) {
	n.since++
	if m := stackFile.FindStringSubmatch(s); m != nil {
		n.culprit, n.since = m[1], 0
		return
	}
	if n.culprit != "" && n.since <= 8 && notThere.MatchString(s) && n.inside(n.culprit) {
		n.put(n.broken, n.rel(n.culprit))
		n.culprit = ""
	}
}

// tapLine reads the Test Anything Protocol with node's subtests.
func (n *Names) tapLine(s string) bool {
	if strings.HasPrefix(s, "TAP version ") || tapPlan.MatchString(s) {
		n.tap = true
		return true
	}
	if !n.tap {
		return false
	}
	trimmed := strings.TrimSpace(s)
	if name, ok := strings.CutPrefix(trimmed, "# Subtest: "); ok {
		depth := (len(s) - len(trimmed)) / 4
		n.subtests = append(n.subtests[:min(depth, len(n.subtests))], name)
		return true
	}
	m := tapOutcome.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	if directive := strings.ToLower(m[4]); strings.HasPrefix(directive, "skip") ||
		strings.HasPrefix(directive, "todo") {
		return true
	}
	n.tree(m[2] == "ok", n.subtests[:min(len(m[1])/4, len(n.subtests))], m[3])
	return true
}

// tree puts the result of a test below suites. A name that is a file of the project means all tests
// of the file.
func (n *Names) tree(ok bool, suites []string, name string) {
	if name == "" {
		return
	}
	if len(suites) == 0 && tapFile.MatchString(name) && n.inside(name) {
		n.result(ok, n.rel(name), "")
		return
	}
	parents := make([]string, 0, len(suites)+1)
	for _, suite := range suites {
		if suite != "" {
			parents = append(parents, suite)
		}
	}
	n.result(ok, n.file, strings.Join(append(parents, name), " > "))
}

var (
	jestVerdict = lazyregexp.New(
		`^\s*(PASS|FAIL)\s+(?:\|[^|]+\| )?(\S+\.[cm]?[jt]sx?)(?:\s+\(.*\)|\s+\[.*\])?$`)
	vitestFile = lazyregexp.New(
		`^ [✓❯×] (?:\|[^|]+\| )?(\S+\.[cm]?[jt]sx?)\s+\(\d+ tests?(.*)\).*$`)
	vitestTest = lazyregexp.New(
		`^ +([✓×]) (?:\|[^|]+\| )?(\S+\.[cm]?[jt]sx?) > (.+?)(?: \d+m?s)?$`)
	vitestBad  = lazyregexp.New(`^\s*FAIL\s+(?:\|[^|]+\| )?(\S+\.[cm]?[jt]sx?) > (.+)$`)
	jestBullet = lazyregexp.New(`^  ● (.+)$`)
)

// jestLine reads jest's and vitest's lines about files; with jest's --verbose a tree of tests
// follows.
func (n *Names) jestLine(s string) bool {
	n.vitest = n.vitest || strings.HasPrefix(s, " RUN  v")
	if m := vitestBad.FindStringSubmatch(s); m != nil {
		n.fail(n.rel(m[1]), m[2])
		return true
	}
	if m := jestVerdict.FindStringSubmatch(s); m != nil {
		n.file, n.suites = n.rel(m[2]), nil
		switch {
		case m[1] == "PASS":
			n.pass(n.file, "")
		case n.vitest: // FAIL and no test: it could not be imported
			n.put(n.broken, n.file)
		}
		return true
	}
	if m := vitestTest.FindStringSubmatch(s); m != nil {
		n.result(m[1] == "✓", n.rel(m[2]), m[3])
		return true
	}
	if m := vitestFile.FindStringSubmatch(s); m != nil {
		if strings.HasPrefix(s, " ✓") && !strings.Contains(m[2], "skipped") {
			n.pass(n.rel(m[1]), "")
		}
		return true
	}
	if m := jestBullet.FindStringSubmatch(s); m != nil && n.file != "" {
		n.section = strings.ReplaceAll(m[1], " › ", " > ")
		if m[1] == "Test suite failed to run" {
			n.put(n.broken, n.file)
		} else if m[1] != "Console" {
			n.fail(n.file, n.section)
		}
		return true
	}
	if strings.HasPrefix(s, "Test Suites:") || strings.HasPrefix(s, "Tests:") {
		n.skips = n.skips || strings.Contains(s, "skipped") || strings.Contains(s, "todo")
		n.file, n.suites = "", nil
		return true
	}
	if n.section != "" && absent.MatchString(strings.TrimSpace(s)) && len(n.missing) < maxRunning {
		n.missing = append(n.missing, n.section)
	}
	return false
}

var (
	treeResult = lazyregexp.New(`^( *)([✔✖✓✕×√]|▶|\d+\)) (.+?)(?: \((?:[\d.]+ ?m?s)\))?$`)
	treeSuite  = lazyregexp.New(`^( +)([^\s✔✖✓✕√×▶○✎﹣ℹ●].*)$`)
	treeEnd    = lazyregexp.New(`^(?:ℹ |✖ failing tests:|\s+\d+ (?:passing|failing|pending)\b)`)
)

// treeLine reads the trees of node's spec reporter, mocha and jest --verbose: suites are indented
// less than their tests.
func (n *Names) treeLine(s string) {
	if n.vitest {
		return
	}
	if treeEnd.MatchString(s) {
		n.suites, n.spec = nil, true // counts and a recap follow
		return
	}
	m := treeResult.FindStringSubmatch(s)
	if m == nil {
		if t := treeSuite.FindStringSubmatch(s); t != nil && len(t[2]) < maxText && !n.spec {
			n.suite(len(t[1])/2, t[2])
		}
		return
	}
	depth := len(m[1]) / 2
	switch mark := m[2]; {
	case n.spec && (mark == "✖" || mark[0] <= '9'): // of the recap
		return
	case mark[0] <= '9' &&
		(len(n.suites) == 0 || strings.HasSuffix(m[3], ":")): // a numbered list of something else
		return
	}
	n.spec = false
	switch mark := m[2]; {
	case mark == "▶":
		n.suite(depth, m[3])
	case strings.HasSuffix(m[3], "# SKIP") || strings.HasSuffix(m[3], "# TODO"):
	default:
		n.tree(mark == "✔" || mark == "✓" || mark == "√", n.suites[:min(depth, len(n.suites))],
			m[3])
	}
}

// suite is a name at a depth; deeper ones of before end.
func (n *Names) suite(depth int, name string) {
	const deepest = 20
	if depth >= deepest {
		return
	}
	n.suites = n.suites[:min(depth, len(n.suites))]
	for len(n.suites) < depth {
		n.suites = append(n.suites, "")
	}
	n.suites = append(n.suites, name)
}

// junitCase adds a case of a report.
func (n *Names) junitCase(c junitCase) {
	if c.Skipped != nil {
		return
	}
	class := c.Class[strings.LastIndex(c.Class, ".")+1:]
	name := strings.TrimSuffix(c.Name, "()")
	if class != "" {
		name = class + " > " + name
	}
	n.result(c.Failure == nil && c.Error == nil, "", name)
}
