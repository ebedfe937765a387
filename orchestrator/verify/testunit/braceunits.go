package testunit

import (
	"path"
	"strings"

	"autobuild/internal/lazyregexp"
)

// braced is how tests look in a language whose bodies stand in braces.
type braced struct {
	s    syntax
	mark *lazyregexp.Regexp // makes the next function a test; nil: head does alone
	// the function; its first group that is not empty is the name, of masked text
	head *lazyregexp.Regexp
	off  *lazyregexp.Regexp // among the marks of a function, or of its class: it does not run
	stop *lazyregexp.Regexp // as the first statement: it ends before it asserts
	in   *lazyregexp.Regexp // a class or module around; its first group is the name
}

var (
	rustBraced = braced{
		s:    rustLike,
		mark: lazyregexp.New(`#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck)\b`),
		head: lazyregexp.New(`\bfn\s+(\w+)`),
		off:  lazyregexp.New(`#\[(?:ignore\b|cfg\(any\(\)\)|cfg\(not\(test\)\))`),
		stop: lazyregexp.New(`^return\s*(?:Ok\(\(\)\)\s*)?;|^std::process::exit\(0`),
		in:   lazyregexp.New(`\bmod\s+(\w+)\s*\{`),
	}
	javaBraced = braced{
		s: cLike,
		mark: lazyregexp.New(
			`@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property)\b`),
		head: lazyregexp.New(
			"(?:\\bfun\\s+|\\bvoid\\s+|\\b[\\w<>\\[\\], ?]+\\s)(\\w+|`[^`\n]+`)\\s*\\("),
		off: lazyregexp.New(`@(?:Disabled|Ignore)\b|\benabled\s*=\s*false`),
		stop: lazyregexp.New(
			`^return\s*;?\s*\n|^(?:Assumptions\.)?assume(?:True\(false|False\(true)`),
		in: lazyregexp.New(`\b(?:class|object|interface)\s+(\w+)[^{};]*\{`),
	}
	netBraced = braced{
		s:    cLike,
		mark: lazyregexp.New(`\[(?:Fact|Theory|Test|TestMethod|TestCase|DataTestMethod)\b`),
		head: lazyregexp.New(`\b(\w+)\s*\([^()]*\)\s*(?:\{|=>)`),
		off:  lazyregexp.New(`\[Ignore\b|\bSkip\s*=|\bExplicit\b`),
		stop: lazyregexp.New(`^return\s*;|^Assert\.(?:Ignore|Pass|Inconclusive)\(`),
		in:   lazyregexp.New(`\bclass\s+(\w+)[^{};]*\{`),
	}
	phpBraced = braced{
		s:    phpLike,
		head: lazyregexp.New(`\bfunction\s+(test\w*)\s*\(`),
		off:  lazyregexp.New(`@(?:skip|group\s+(?:skip|ignore))\b`),
		stop: lazyregexp.New(
			`^(?:return\s*;|\$this->markTest(?:Skipped|Incomplete)\(|(?:self|static)::markTest(?:Skipped|Incomplete)\()`),
		in: lazyregexp.New(`\bclass\s+(\w+)[^{};]*\{`),
	}
	swiftBraced = braced{
		s:    cLike,
		head: lazyregexp.New(`\bfunc\s+(test\w*)\s*\(`),
		stop: lazyregexp.New(`^(?:return\s*\n|throw XCTSkip\()`),
		in:   lazyregexp.New(`\bclass\s+(\w+)[^{};]*\{`),
	}
	gtestBraced = braced{
		s: cLike,
		head: lazyregexp.New(
			`(?m)^[ \t]*(?:TEST(?:_F|_P|_CASE)?|TYPED_TEST|SCENARIO|BOOST_AUTO_TEST_CASE)\s*\(\s*([^)]*?)\s*\)`),
		off:  lazyregexp.New(`\bDISABLED_`),
		stop: lazyregexp.New(`^(?:return\s*;|GTEST_SKIP\()`),
	}
	batsBraced = braced{
		s:    shellLike,
		head: lazyregexp.New(`(?m)^@test\s+(["'][^"'\n]*["']|\S+)\s*(?:\{|$)`),
		stop: lazyregexp.New(`^(?:skip\b|exit\b|return\b)`),
	}
)

func (b braced) units(file, text string) []Unit {
	masked := b.s.mask(text)
	around := b.scopes(masked)
	var units []Unit
	var taken [][2]int
	for at := 0; at < len(masked); {
		from, m := b.next(masked, at)
		if m == nil {
			break
		}
		head := m[1]
		name := groupOf(text, m)
		open := strings.IndexAny(masked[head-1:], "{;=")
		if open < 0 {
			break
		}
		open += head - 1
		to := b.bodyEnd(masked, open)
		u := part(file, text, masked, b.prefix(file, around, from)+name, from, to)
		marks := masked[strings.LastIndexAny(masked[:from], "};{")+1 : head]
		u.Skip = b.off != nil && (b.off.MatchString(marks) || b.offAround(masked, around, from)) ||
			b.stop != nil &&
				b.stop.MatchString(strings.TrimLeft(masked[min(open+1, to):to], " \t\r\n"))
		if path.Ext(file) == ".bats" {
			u.Asserts, u.Values = scriptStatements(u.Lines[min(1, len(u.Lines)):])
		}
		units = append(units, u)
		taken = append(taken, [2]int{from, to})
		at = max(to, head)
	}
	return withRest(units, file, text, masked, taken)
}

// next is where the next test begins, with its marks, and the match of its head.
func (b braced) next(masked string, at int) (from int, head []int) {
	from = at
	if b.mark != nil {
		m := b.mark.FindStringIndex(masked[at:])
		if m == nil {
			return 0, nil
		}
		from = at + m[0]
		at += m[1]
	}
	m := b.head.FindStringSubmatchIndex(masked[at:])
	if m == nil {
		return 0, nil
	}
	for i := range m {
		if m[i] >= 0 {
			m[i] += at
		}
	}
	if b.mark == nil {
		from = m[0]
	}
	return from, m
}

func groupOf(text string, m []int) string {
	for i := 2; i+1 < len(m); i += 2 {
		if m[i] >= 0 {
			return strings.Trim(strings.ReplaceAll(text[m[i]:m[i+1]], ", ", "."), "\"'`")
		}
	}
	return ""
}

// bodyEnd is the end of a function's body: of its braces, or of its line where it is one
// expression.
func (b braced) bodyEnd(masked string, open int) int {
	if masked[open] == '{' {
		if path := closing(masked, open); path > 0 && len(b.s.line) > 0 && !b.s.word {
			return path
		}
		// brackets of a shell need not match
		if end := strings.Index(masked[open:], "\n}"); end >= 0 {
			return open + end + 2
		}
		return len(masked)
	}
	if end := statementEnd(masked, open+1, len(masked)); end > open {
		return end
	}
	return len(masked)
}

// scope is a class or a module.
type scope struct {
	name             string
	begin, head, end int
}

func (b braced) scopes(masked string) []scope {
	if b.in == nil {
		return nil
	}
	var all []scope
	for _, m := range b.in.FindAllStringSubmatchIndex(masked, -1) {
		end := closing(masked, m[1]-1)
		if end < 0 {
			end = len(masked)
		}
		all = append(all, scope{
			masked[m[2]:m[3]], strings.LastIndexAny(masked[:m[0]], "};{") + 1,
			m[0], end,
		})
	}
	return all
}

// prefix are the names around a test; for Rust the modules of the file come first.
func (b braced) prefix(file string, around []scope, at int) string {
	prefix := ""
	if path.Ext(file) == ".rs" {
		if dir, ok := strings.CutPrefix(strings.TrimSuffix(file, ".rs"), "src/"); ok {
			for module := range strings.SplitSeq(dir, "/") {
				if module != "lib" && module != "main" && module != "mod" {
					prefix += module + Separator
				}
			}
		}
	}
	for _, s := range around {
		if s.head < at && at < s.end {
			prefix += s.name + Separator
		}
	}
	return prefix
}

func (b braced) offAround(masked string, around []scope, at int) bool {
	for _, s := range around {
		if s.head < at && at < s.end && b.off.MatchString(masked[s.begin:s.head]) {
			return true
		}
	}
	return false
}
