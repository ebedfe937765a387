package testunit

import (
	"strings"

	"autobuild/internal/lazyregexp"
)

// indented is how tests look in a language whose blocks end with a line that is indented like their
// head.
type indented struct {
	s     syntax
	test  *lazyregexp.Regexp // the indent, and the name or the quote before it
	suite *lazyregexp.Regexp
	off   *lazyregexp.Regexp
	stop  *lazyregexp.Regexp
}

var (
	rubyIndented = indented{
		s: rubyLike,
		test: lazyregexp.New(
			`^([ \t]*)(?:[xf]?(?:it|specify|example|scenario|test|should)\b[ \t]*\(?[ \t]*(["'].*)|def[ \t]+(test_\w+)|[xf]?(?:it|specify)[ \t]*(\{))`),
		suite: lazyregexp.New(
			`^([ \t]*)(?:RSpec\.)?(?:[xf]?(?:describe|context|feature)\b[ \t]*\(?[ \t]*([^,\n]*)|class[ \t]+([\w:]+))`),
		off: lazyregexp.New(
			`^[ \t]*x(?:it|specify|describe|context|example|scenario)\b|(?:skip|pending):[ \t]*(?:true|")|,[ \t]*:(?:skip|pending)\b`),
		stop: lazyregexp.New(`^(?:skip|pending|return|exit)\b`),
	}
	elixirIndented = indented{
		s:     pythonLike,
		test:  lazyregexp.New(`^([ \t]*)(?:test|property)[ \t]+(".*)`),
		suite: lazyregexp.New(`^([ \t]*)describe[ \t]+(".*)`),
		off:   lazyregexp.New(`@(?:tag|moduletag|describetag) :?skip\b`),
	}
)

func (l indented) units(file, text string) []Unit {
	masked := l.s.mask(text)
	lines, raw := strings.SplitAfter(masked, "\n"), strings.SplitAfter(text, "\n")
	starts := make([]int, len(lines)+1)
	for i, line := range lines {
		starts[i+1] = starts[i] + len(line)
	}
	type suite struct {
		name string
		end  int
		off  bool
	}
	var around []suite
	var units []Unit
	var taken [][2]int
	for i := 0; i < len(lines); i++ {
		for len(around) > 0 && around[len(around)-1].end <= i {
			around = around[:len(around)-1]
		}
		off := l.off.MatchString(lines[i]) || i > 0 &&
			strings.HasPrefix(strings.TrimSpace(lines[i-1]), "@") && l.off.MatchString(lines[i-1])
		if m := l.suite.FindStringSubmatchIndex(lines[i]); m != nil {
			around = append(around, suite{blockName(raw[i], m), blockEnd(lines, i, m[3]-m[2]), off})
			continue
		}
		m := l.test.FindStringSubmatchIndex(lines[i])
		if m == nil {
			continue
		}
		end, name := blockEnd(lines, i, m[3]-m[2]), blockName(raw[i], m)
		for j := len(around) - 1; j >= 0; j-- {
			name, off = around[j].name+Separator+name, off || around[j].off
		}
		u := part(file, text, masked, name, starts[i], starts[end])
		u.First, u.Last = i+1, end
		u.Skip = off || l.stop != nil && i+1 < end &&
			l.stop.MatchString(strings.TrimSpace(lines[i+1]))
		units = append(units, u)
		taken = append(taken, [2]int{starts[i], starts[end]})
		i = end - 1
	}
	return withRest(units, file, text, masked, taken)
}

// blockName is the name of the first group that was found, without its quotes.
func blockName(line string, m []int) string {
	for i := 4; i+1 < len(m); i += 2 {
		if m[i] < 0 {
			continue
		}
		name := strings.TrimSpace(line[m[i]:m[i+1]])
		if quote := name[:min(1, len(name))]; quote == `"` || quote == "'" {
			if end := strings.Index(name[1:], quote); end >= 0 {
				return name[1 : 1+end]
			}
		}
		return strings.TrimSuffix(strings.TrimSuffix(name, " do"), ")")
	}
	return ""
}

// blockEnd is the line behind the "end" or brace that is indented like the head; behind the head
// where the block is one line.
func blockEnd(lines []string, head, indent int) int {
	first := strings.TrimSpace(lines[head])
	if strings.HasSuffix(first, "}") || strings.HasSuffix(first, " end") ||
		!strings.Contains(first, " do") &&
			!strings.HasSuffix(first, "{") && !strings.HasPrefix(first, "def ") &&
			!strings.HasPrefix(first, "class ") {
		return head + 1
	}
	for i := head + 1; i < len(lines); i++ {
		trimmed := strings.TrimSpace(lines[i])
		width := len(lines[i]) - len(strings.TrimLeft(lines[i], " \t"))
		if trimmed != "" && width <= indent {
			if strings.HasPrefix(trimmed, "end") || strings.HasPrefix(trimmed, "}") {
				return i + 1
			}
			if width < indent {
				return i
			}
		}
	}
	return len(lines)
}
