package output

import (
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/state"
)

// jsFrame is a line of a stack: at NAME (FILE:LINE:COL), or a vitest pointer.
var jsFrame = lazyregexp.New(
	`^\s+(?:at (?:.*\()?|❯ (?:\S+ )?)((?:file://)?/?[^\s():]+):(\d+):\d+\)?$`)

var jsCounts = lazyregexp.New(`(\d+) (passed|failed)`)

// counts adds a summary such as "2 failed, 1 skipped, 2 passed".
func (r *report) counts(s string) {
	r.known = true
	for _, m := range jsCounts.FindAllStringSubmatch(s, -1) {
		r.ran += number(m[1])
		if m[2] == "failed" {
			r.failed += number(m[1])
		}
	}
}

// follow takes message and place of a failure from the lines after its name.
func (p Paths) follow(t *state.Test, s string) {
	if m := jsFrame.FindStringSubmatch(s); m != nil {
		if p.inside(m[1]) {
			locate(t, p.rel(m[1]), m[2])
		}
		return
	}
	explain(t, s)
}

var (
	jestFile    = lazyregexp.New(`^(?:FAIL|PASS)\s+(?:\S+ )?(\S+\.[cm]?[jt]sx?)(?: \(.*\))?$`)
	jestTest    = lazyregexp.New(`^\s{2}● (.+)$`)
	jestSummary = lazyregexp.New(`^Tests:\s+(.*\d+ total)$`)
)

// jest reads jest's default and verbose reporters.
type jest struct {
	report
	Paths
	file string
	test *state.Test
}

func (j *jest) line(s string) {
	if m := jestFile.FindStringSubmatch(s); m != nil {
		j.file, j.test = j.rel(m[1]), nil
		return
	}
	if m := jestSummary.FindStringSubmatch(s); m != nil {
		j.test = nil
		j.counts(m[1])
		return
	}
	if m := jestTest.FindStringSubmatch(s); m != nil && j.file != "" {
		j.test = nil
		if m[1] != "Console" {
			j.test = j.fail(m[1], j.file)
		}
		return
	}
	if strings.HasPrefix(s, "Test Suites:") {
		j.test = nil
	}
	j.follow(j.test, s)
}

var (
	vitestFail = lazyregexp.New(
		`^\s*FAIL\s+(?:\|[^|]+\| )?(\S+\.[cm]?[jt]sx?)(?: > (.+)| \[ .* \])$`)
	vitestSummary = lazyregexp.New(`^\s+Tests\s+(\d+ (?:passed|failed|skipped|todo).*)\(\d+\)$`)
)

// vitest reads vitest's default reporter.
type vitest struct {
	report
	Paths
	test *state.Test
}

func (v *vitest) line(s string) {
	if m := vitestFail.FindStringSubmatch(s); m != nil {
		name := m[2]
		if name == "" {
			name = "test suite"
		}
		v.test = v.fail(name, v.rel(m[1]))
		return
	}
	if m := vitestSummary.FindStringSubmatch(s); m != nil {
		v.counts(m[1])
		v.test = nil
		return
	}
	if strings.HasPrefix(s, "⎯⎯") {
		v.test = nil
	}
	v.follow(v.test, s)
}

var (
	mochaSummary = lazyregexp.New(`^\s+(\d+) (passing|failing)\b`)
	mochaHead    = lazyregexp.New(`^\s{2}\d+\) (.+)$`)
)

// mocha reads mocha's spec and dot reporters.
type mocha struct {
	report
	Paths
	name []string // of the failure being read, outermost first; nil when it is complete
	test *state.Test
}

func (m *mocha) line(s string) {
	if c := mochaSummary.FindStringSubmatch(s); c != nil {
		m.known = true
		m.ran += number(c[1])
		if c[2] == "failing" {
			m.failed += number(c[1])
		}
		m.name, m.test = nil, nil
		return
	}
	if !m.known { // the running commentary names failures too
		return
	}
	if h := mochaHead.FindStringSubmatch(s); h != nil {
		m.test = nil
		m.name = []string{h[1]}
		m.named()
		return
	}
	if m.name != nil && len(m.name) < 20 {
		m.name = append(m.name, strings.TrimSpace(s))
		m.named()
		return
	}
	m.follow(m.test, s)
}

// named begins a failure once its name has come to the colon at its end.
func (m *mocha) named() {
	last := m.name[len(m.name)-1]
	if !strings.HasSuffix(last, ":") {
		return
	}
	m.name[len(m.name)-1] = strings.TrimSuffix(last, ":")
	m.test, m.name = m.fail(strings.Join(m.name, " › "), ""), nil
}

var (
	specAt    = lazyregexp.New(`^test at (.+):(\d+):\d+$`)
	specName  = lazyregexp.New(`^✖ (.+?)(?: \([\d.]+ms\))?$`)
	specCount = lazyregexp.New(`^ℹ (pass|fail) (\d+)$`)
)

// nodeSpec reads the reporter that node --test uses on a terminal.
type nodeSpec struct {
	report
	Paths
	file, row string
	test      *state.Test
}

func (n *nodeSpec) line(s string) {
	if m := specCount.FindStringSubmatch(s); m != nil {
		n.known = true
		n.ran += number(m[2])
		if m[1] == "fail" {
			n.failed += number(m[2])
		}
		return
	}
	if m := specAt.FindStringSubmatch(s); m != nil {
		n.file, n.row, n.test = n.rel(m[1]), m[2], nil
		return
	}
	if m := specName.FindStringSubmatch(s); m != nil && n.file != "" {
		n.test = n.fail(m[1], n.file)
		locate(n.test, n.file, n.row)
		n.file = ""
		return
	}
	n.follow(n.test, s)
}
