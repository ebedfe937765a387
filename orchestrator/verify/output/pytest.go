package output

import (
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/state"
)

var (
	pySummary = lazyregexp.New(`^=*\s*((?:\d+ [a-z]+(?:, )?)+) in [\d.]+s`)
	pyCount   = lazyregexp.New(`(\d+) (passed|failed|errors?|xfailed|xpassed)`)
	pyShort   = lazyregexp.New(`^(FAILED|ERROR) (\S+?\.py)(?:::(.+?))?(?: - (.*))?$`)
	pyHeader  = lazyregexp.New(
		`^_{3,} (?:ERROR (?:at (?:setup|teardown) of |collecting ))?(.+?) _{3,}$`)
	pyLocation = lazyregexp.New(`^(\S+\.py):(\d+): `)
)

// pytest reads pytest's short summary, and the lines of the failures above it.
type pytest struct {
	report
	Paths
	section string
	lines   map[string][2]string // of a section: file and line
}

func (p *pytest) line(s string) {
	if m := pyHeader.FindStringSubmatch(s); m != nil {
		p.section = m[1]
		return
	}
	if m := pyLocation.FindStringSubmatch(s); m != nil && p.section != "" {
		if p.lines == nil {
			p.lines = map[string][2]string{}
		}
		// the last one is where the test itself stands, or what it called
		if len(p.lines) < maxRunning {
			p.lines[p.section] = [2]string{p.rel(m[1]), m[2]}
		}
		return
	}
	if m := pyShort.FindStringSubmatch(s); m != nil {
		file := p.rel(m[2])
		name := m[3]
		if name == "" {
			name = file
		}
		t := p.fail(strings.ReplaceAll(name, "::", "."), file)
		explain(t, m[4])
		if at, ok := p.lines[strings.ReplaceAll(name, "::", ".")]; ok {
			locate(t, at[0], at[1])
		}
		return
	}
	if m := pySummary.FindStringSubmatch(s); m != nil {
		p.summary(m[1])
	}
}

func (p *pytest) summary(counts string) {
	p.known = true
	for _, c := range pyCount.FindAllStringSubmatch(counts, -1) {
		n := number(c[1])
		p.ran += n
		if c[2] == "failed" || strings.HasPrefix(c[2], "error") {
			p.failed += n
		}
	}
}

var (
	unitHead  = lazyregexp.New(`^(FAIL|ERROR): (\S+)(?: \((\S+)\))?`)
	unitFrame = lazyregexp.New(`^  File "([^"]+)", line (\d+)`)
	unitRan   = lazyregexp.New(`^Ran (\d+) tests? in `)
	unitFail  = lazyregexp.New(`(?:failures|errors)=(\d+)`)
)

// unittest reads Python's own runner.
type unittest struct {
	report
	Paths
	test *state.Test
	own  [2]string // the innermost frame that is the project's
	last string    // the last line at the margin: the exception
}

func (u *unittest) line(s string) {
	if m := unitHead.FindStringSubmatch(s); m != nil {
		u.close()
		name := m[2]
		if class := m[3]; class != "" && !strings.HasPrefix(class, "unittest.") {
			name = strings.TrimSuffix(class, "."+name) + "." + name
		}
		u.test, u.own, u.last = u.fail(name, ""), [2]string{}, ""
		return
	}
	if m := unitRan.FindStringSubmatch(s); m != nil {
		u.close()
		u.known = true
		u.ran += number(m[1])
		return
	}
	if strings.HasPrefix(s, "FAILED (") {
		for _, m := range unitFail.FindAllStringSubmatch(s, -1) {
			u.failed += number(m[1])
		}
		return
	}
	if u.test == nil {
		return
	}
	if m := unitFrame.FindStringSubmatch(s); m != nil {
		if u.inside(m[1]) {
			u.own = [2]string{u.rel(m[1]), m[2]}
		}
		return
	}
	if s != "" && s[0] != ' ' && s[0] != '-' && s[0] != '=' && !strings.HasPrefix(s, "Traceback") {
		u.last = s
	}
}

func (u *unittest) close() {
	if u.test != nil {
		explain(u.test, u.last)
		locate(u.test, u.own[0], u.own[1])
	}
	u.test = nil
}
