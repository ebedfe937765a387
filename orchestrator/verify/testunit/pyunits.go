package testunit

import (
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
)

var (
	pyHead = lazyregexp.New(`^([ \t]*)(async[ \t]+def|def|class)[ \t]+(\w+)`)
	pyOff  = lazyregexp.New(
		`^[ \t]*@(?:\w+\.)*(?:skip|skipif|skipIf|skipUnless|xfail|expectedFailure|disabled)\b(.*)`)
	pyMark = lazyregexp.New(
		`^([ \t]*)(?:pytestmark[ \t]*=.*\b(?:skip|xfail)\b|__test__[ \t]*=[ \t]*False)`)
	pyStop = lazyregexp.New(
		`^[ \t]*(?:return\b|pytest\.(?:skip|xfail)\(|self\.skipTest\(|raise (?:unittest\.)?SkipTest|(?:sys|os)\._?exit\()`)
	pyModule = lazyregexp.New(
		`(?m)^(?:pytest\.skip\(|raise (?:unittest\.)?SkipTest|(?:sys|os)\._?exit\()`)
	pyCase = lazyregexp.New(`TestCase\b|Test\w*\)`)
)

// pyBlock is a function or a class: its lines, decorators included.
type pyBlock struct {
	name        string
	indent      int
	first, last int // lines, from 0; last is behind
	head        int // the line of def or class
	class       bool
	off         bool
	test        bool // a class whose methods are tests
}

// pyUnits lists the tests of a Python file: functions and methods called test…, of classes that
// pytest or unittest collect.
func pyUnits(file, text string) []Unit {
	masked := pythonLike.mask(text)
	lines := strings.SplitAfter(masked, "\n")
	starts := make([]int, len(lines)+1)
	for i, line := range lines {
		starts[i+1] = starts[i] + len(line)
	}
	blocks := pyBlocks(lines)
	moduleOff := pyModule.MatchString(masked)
	for _, line := range lines {
		if m := pyMark.FindStringSubmatch(line); m != nil && m[1] == "" {
			moduleOff = true
		}
	}
	var units []Unit
	var taken [][2]int
	var around []pyBlock
	end := 0
	for _, b := range blocks {
		for len(around) > 0 && around[len(around)-1].last <= b.first {
			around = around[:len(around)-1]
		}
		if b.class {
			around = append(around, b)
			continue
		}
		collected := !slices.ContainsFunc(around, func(c pyBlock) bool { return !c.test })
		if b.first < end || !collected || !strings.HasPrefix(b.name, "test") {
			continue
		}
		end = b.last
		name, skip := b.name, b.off || moduleOff
		for _, class := range slices.Backward(around) {
			name, skip = class.name+Separator+name, skip || class.off
		}
		from, to := starts[b.first], starts[b.last]
		u := part(file, text, masked, name, from, to)
		u.First, u.Last = b.head+1, b.last
		u.Skip = skip || pyStops(lines[b.head+1:b.last])
		units = append(units, u)
		taken = append(taken, [2]int{from, to})
	}
	return withRest(units, file, text, masked, taken)
}

// pyBlocks finds functions and classes with their decorators.
func pyBlocks(lines []string) []pyBlock {
	var blocks []pyBlock
	decorators, off, depth := -1, false, 0
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		if depth > 0 {
			depth += brackets(line) // a decorator goes on
			continue
		}
		if strings.HasPrefix(trimmed, "@") {
			if decorators < 0 {
				decorators = i
			}
			if m := pyOff.FindStringSubmatch(line); m != nil && !strings.HasPrefix(m[1], "(False") {
				off = true
			}
			depth = brackets(line)
			continue
		}
		m := pyHead.FindStringSubmatch(line)
		if m == nil {
			if trimmed != "" {
				decorators, off = -1, false
			}
			continue
		}
		b := pyBlock{
			name: m[3], indent: len(m[1]), first: i, head: i, class: m[2] == "class",
			off: off,
		}
		if decorators >= 0 {
			b.first = decorators
		}
		decorators, off = -1, false
		b.last = pyEnd(lines, i, b.indent)
		b.test = b.class && (strings.HasPrefix(b.name, "Test") || pyCase.MatchString(line) ||
			strings.HasSuffix(b.name, "Test") ||
			strings.HasSuffix(b.name, "Tests") || strings.HasSuffix(b.name, "TestCase"))
		for _, inner := range lines[i+1 : b.last] {
			if mark := pyMark.FindStringSubmatch(inner); b.class && mark != nil &&
				len(mark[1]) > b.indent {
				b.off = true
			}
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// pyEnd is the line behind a block: the first that is indented no more, brackets and strings
// closed.
func pyEnd(lines []string, head, indent int) int {
	last, depth := head+1, brackets(lines[head])
	for i := head + 1; i < len(lines); i++ {
		line := lines[i]
		if strings.TrimSpace(line) == "" {
			continue
		}
		width := len(line) - len(strings.TrimLeft(line, " \t"))
		if depth <= 0 && width <= indent && line[0] != inside {
			break
		}
		depth += brackets(line)
		last = i + 1
	}
	return last
}

func brackets(line string) int {
	n := 0
	for i := range len(line) {
		switch line[i] {
		case '(', '[', '{':
			n++
		case ')', ']', '}':
			n--
		}
	}
	return n
}

// pyStops reports whether the first statement of a function ends or skips it.
func pyStops(body []string) bool {
	for _, line := range body {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.Trim(trimmed, `"'`+string(inside)) == "" {
			continue // a docstring
		}
		return pyStop.MatchString(line)
	}
	return false
}
