package output

import (
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/state"
)

var (
	cargoResult = lazyregexp.New(`^test result: \w+\. (\d+) passed; (\d+) failed;`)
	cargoFailed = lazyregexp.New(`^test (\S.*?) \.\.\. FAILED$`)
	cargoBlock  = lazyregexp.New(`^---- (.+) stdout ----$`)
	cargoPanic  = lazyregexp.New(`panicked at (?:'(.*)', )?(\S+?):(\d+):\d+:?$`)
)

// cargoTest reads libtest, Rust's runner.
type cargoTest struct {
	report
	Paths
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
