package verify

import (
	"regexp"
	"strings"

	"autobuild/state"
)

var (
	cargoResult = regexp.MustCompile(`^test result: \w+\. (\d+) passed; (\d+) failed;`)
	cargoFailed = regexp.MustCompile(`^test (\S.*?) \.\.\. FAILED$`)
	cargoBlock  = regexp.MustCompile(`^---- (.+) stdout ----$`)
	cargoPanic  = regexp.MustCompile(`panicked at (?:'(.*)', )?(\S+?):(\d+):\d+:?$`)
)

// cargoTest reads libtest, Rust's runner.
type cargoTest struct {
	report
	place
	test    *state.Test
	message bool // the next line is the panic's message
}

func (c *cargoTest) line(s string) {
	switch {
	case c.message:
		explain(c.test, s)
		c.message = false
	case strings.HasPrefix(s, "test result: "):
		if m := cargoResult.FindStringSubmatch(s); m != nil {
			c.known, c.test = true, nil
			c.ran += number(m[1]) + number(m[2])
			c.failed += number(m[2])
		}
	case strings.HasPrefix(s, "test "):
		if m := cargoFailed.FindStringSubmatch(s); m != nil {
			c.fail(m[1], "")
		}
	case strings.HasSuffix(s, " --- FAILED"): // cargo test -q
		c.fail(strings.TrimSuffix(s, " --- FAILED"), "")
	case strings.HasPrefix(s, "---- "):
		if m := cargoBlock.FindStringSubmatch(s); m != nil {
			c.test = c.named(m[1])
		}
	case c.test != nil:
		if m := cargoPanic.FindStringSubmatch(s); m != nil && c.inside(m[2]) {
			locate(c.test, c.rel(m[2]), m[3])
			explain(c.test, m[1])
			c.message = m[1] == ""
		}
	}
}

// named finds a failed test by name alone: its place is printed later.
func (r *report) named(name string) *state.Test {
	for i := range r.tests {
		if r.tests[i].Name == name {
			return &r.tests[i]
		}
	}
	return nil
}

var (
	rspecSummary = regexp.MustCompile(`^(\d+) examples?, (\d+) failures?`)
	rspecHead    = regexp.MustCompile(`^\s{2}\d+\) (.+)$`)
	rspecAt      = regexp.MustCompile(`^\s+# (\S+?\.rb):(\d+):in `)
	rspecFailed  = regexp.MustCompile(`^rspec (\S+?\.rb):(\d+) # (.+)$`)
)

// rspec reads RSpec's progress and documentation formats.
type rspec struct {
	report
	place
	on   bool // within "Failures:"
	test *state.Test
}

func (r *rspec) line(s string) {
	if m := rspecSummary.FindStringSubmatch(s); m != nil {
		r.known, r.on, r.test = true, false, nil
		r.ran += number(m[1])
		r.failed += number(m[2])
		return
	}
	if m := rspecFailed.FindStringSubmatch(s); m != nil {
		t := r.named(clip(m[3]))
		if t == nil {
			t = r.fail(m[3], "")
		}
		locate(t, r.rel(m[1]), m[2])
		return
	}
	if s == "Failures:" {
		r.on = true
	}
	if !r.on {
		return
	}
	if m := rspecHead.FindStringSubmatch(s); m != nil {
		r.test = r.fail(m[1], "")
		return
	}
	if m := rspecAt.FindStringSubmatch(s); m != nil {
		if r.inside(m[1]) {
			locate(r.test, r.rel(m[1]), m[2])
		}
		return
	}
	if text, ok := strings.CutPrefix(strings.TrimSpace(s), "Failure/Error: "); ok {
		explain(r.test, text)
	}
}

var (
	miniSummary = regexp.MustCompile(`^(\d+) (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors`)
	miniHead    = regexp.MustCompile(`^(?:  ?\d+\) (?:Failure|Error):\s*)?(\w[\w:]*#\w+)(?: \[(.+?\.rb):(\d+)\])?:?$`)
)

// minitest reads Minitest, Ruby's and Rails' own runner.
type minitest struct {
	report
	place
	test *state.Test
}

func (t *minitest) line(s string) {
	if m := miniSummary.FindStringSubmatch(s); m != nil {
		t.known, t.test = true, nil
		t.ran += number(m[1])
		t.failed += number(m[2]) + number(m[3])
		return
	}
	if m := miniHead.FindStringSubmatch(s); m != nil {
		t.test = t.fail(m[1], "")
		locate(t.test, t.rel(m[2]), m[3])
		return
	}
	explain(t.test, s)
}

var (
	phpSummary = regexp.MustCompile(`^Tests: (\d+), Assertions: \d+(.*)\.$`)
	phpOK      = regexp.MustCompile(`^OK \((\d+) tests?, \d+ assertions?\)`)
	phpBad     = regexp.MustCompile(`(?:Failures|Errors): (\d+)`)
	phpHead    = regexp.MustCompile(`^\d+\) ([\w\\]+::\S+.*)$`)
	phpAt      = regexp.MustCompile(`^(/?\S+\.php):(\d+)$`)
)

// phpunit reads PHPUnit.
type phpunit struct {
	report
	place
	test *state.Test
}

func (p *phpunit) line(s string) {
	if m := phpSummary.FindStringSubmatch(s); m != nil {
		p.known, p.test = true, nil
		p.ran += number(m[1])
		for _, c := range phpBad.FindAllStringSubmatch(m[2], -1) {
			p.failed += number(c[1])
		}
		return
	}
	if m := phpOK.FindStringSubmatch(s); m != nil {
		p.known = true
		p.ran += number(m[1])
		return
	}
	if m := phpHead.FindStringSubmatch(s); m != nil {
		p.test = p.fail(m[1], "")
		return
	}
	if m := phpAt.FindStringSubmatch(s); m != nil {
		if p.inside(m[1]) {
			locate(p.test, p.rel(m[1]), m[2])
		}
		return
	}
	explain(p.test, s)
}

var (
	netSummary = regexp.MustCompile(`^\s*(?:Passed|Failed)!\s+- Failed:\s+(\d+), Passed:\s+(\d+),`)
	netFailed  = regexp.MustCompile(`^\s+Failed (\S.*?) \[[^\]]+\]$`)
	netAt      = regexp.MustCompile(` in (\S+):line (\d+)$`)
)

// dotnet reads dotnet test.
type dotnet struct {
	report
	place
	test    *state.Test
	message bool
}

func (d *dotnet) line(s string) {
	if m := netSummary.FindStringSubmatch(s); m != nil {
		d.known, d.test = true, nil
		d.ran += number(m[1]) + number(m[2])
		d.failed += number(m[1])
		return
	}
	if m := netFailed.FindStringSubmatch(s); m != nil {
		d.test = d.fail(m[1], "")
		return
	}
	if d.message {
		explain(d.test, s)
		d.message = false
	}
	d.message = strings.TrimSpace(s) == "Error Message:"
	if m := netAt.FindStringSubmatch(s); m != nil && d.test != nil && d.inside(m[1]) {
		locate(d.test, d.rel(m[1]), m[2])
	}
}
