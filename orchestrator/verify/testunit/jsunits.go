package testunit

import (
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
)

// jsHead begins a test or a suite of jest, vitest, mocha, jasmine, tap or node:test.
var jsHead = lazyregexp.New(
	`(?:^|[^\w$.])((?:t|ctx)\.)?([xf]?)(it|test|specify|describe|context|suite)((?:\s*\.\s*\w+)*)\s*([(` + "`" + `])`)

// jsOff and jsOnly are modifiers: a test that is off does not run, and where one is only, no other
// runs.
var (
	jsOff  = lazyregexp.New(`\.\s*(?:skip|todo|fixme|failing)\b`)
	jsOnly = lazyregexp.New(`\.\s*only\b`)
	jsStop = lazyregexp.New(
		`^(?:\s*(?:return\s*;|return\s*$|(?:this|t|ctx)\.skip\(|process\.exit\())`)
	jsOpts = lazyregexp.New(`[{,]\s*(?:skip|todo)\s*:\s*([^,}\s]+)`)
)

// jsCall is a test or a suite as it stands in a file.
type jsCall struct {
	name      string
	from, to  int // of the whole call
	open      int // its parenthesis
	suite     bool
	off, only bool
}

// jsUnits lists the tests of a JavaScript or TypeScript file. Tests inside a test belong to it.
func jsUnits(file, text string) []Unit {
	masked := scriptLike.mask(text)
	calls := jsCalls(text, masked)
	only := slices.ContainsFunc(calls, func(c jsCall) bool { return c.only })
	var units []Unit
	var around []jsCall
	var taken [][2]int
	end := 0 // of the last test
	for _, c := range calls {
		if c.from < end {
			continue
		}
		for len(around) > 0 && around[len(around)-1].to <= c.from {
			around = around[:len(around)-1]
		}
		if c.suite {
			around = append(around, c)
			continue
		}
		end = c.to
		skip, chosen, name := c.off, c.only, c.name
		for _, suite := range slices.Backward(around) {
			skip, chosen, name = skip || suite.off, chosen || suite.only, suite.name+Separator+name
		}
		u := part(file, text, masked, name, c.from, c.to)
		u.Skip = skip || only && !chosen || jsStops(masked[c.open:c.to])
		units = append(units, u)
		taken = append(taken, [2]int{c.from, c.to})
	}
	return withRest(units, file, text, masked, taken)
}

// jsCalls finds all calls, in order.
func jsCalls(text, masked string) []jsCall {
	var calls []jsCall
	for at := 0; ; {
		m := jsHead.FindStringSubmatchIndex(masked[at:])
		if m == nil {
			return calls
		}
		word := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return masked[at+m[2*i] : at+m[2*i+1]]
		}
		c := jsCall{from: at + m[4], open: at + m[10]}
		if m[2] >= 0 {
			c.from = at + m[2]
		}
		modifiers := word(4)
		c.suite = word(3) == "describe" || word(3) == "context" || word(3) == "suite"
		c.off = word(2) == "x" || jsOff.MatchString(modifiers)
		c.only = word(2) == "f" || jsOnly.MatchString(modifiers)
		at = c.open + 1
		if strings.Contains(modifiers, "each") || strings.Contains(modifiers, "If") ||
			masked[c.open] == '`' {
			c.open = jsSecondCall(masked, c.open)
			if c.open < 0 {
				continue
			}
			at = c.open + 1
		}
		c.to = closing(masked, c.open)
		if c.to < 0 {
			c.to = len(masked)
		}
		var ok bool
		if c.name, ok = jsName(text, masked, c); !ok {
			continue
		}
		if m := jsOpts.FindStringSubmatch(masked[c.open:jsArguments(masked, c)]); m != nil &&
			m[1] != "false" {
			c.off = true
		}
		calls = append(calls, c)
	}
}

// jsSecondCall is the parenthesis behind test.each(…) or a tagged table.
func jsSecondCall(masked string, open int) int {
	var end int
	if masked[open] == '`' {
		end = strings.IndexByte(masked[open+1:], '`') + open + 1
		if end <= open {
			return -1
		}
	} else if end = closing(masked, open) - 1; end < 0 {
		return -1
	}
	rest := strings.TrimLeft(masked[end+1:], " \t\r\n")
	if !strings.HasPrefix(rest, "(") {
		return -1
	}
	return len(masked) - len(rest)
}

// jsName is the first argument. A call with one argument that is no string is a function of the
// same name.
func jsName(text, masked string, c jsCall) (string, bool) {
	begin := c.open + 1
	for begin < c.to && strings.IndexByte(" \t\r\n", masked[begin]) >= 0 {
		begin++
	}
	if begin >= c.to {
		return "", false
	}
	end := begin + 1
	if strings.IndexByte("\"'`", masked[begin]) >= 0 {
		for end < c.to && (masked[end] == inside || masked[end] == '\n') {
			end++
		}
		return text[begin+1 : end], true
	}
	for depth := 0; end < c.to; end++ {
		switch masked[end] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				return strings.Join(strings.Fields(text[begin:end]), " "), true
			}
		}
	}
	return "", false
}

// jsArguments is where the function of a test begins: its name and options stand before it.
func jsArguments(masked string, c jsCall) int {
	for _, mark := range []string{"=>", "function"} {
		if at := strings.Index(masked[c.open:c.to], mark); at >= 0 {
			return c.open + at
		}
	}
	return c.to
}

// jsStops reports whether a test ends or skips itself before anything else.
func jsStops(masked string) bool {
	for _, mark := range []string{"=>", "function"} {
		at := strings.Index(masked, mark)
		if at < 0 {
			continue
		}
		if open := strings.IndexByte(masked[at:], '{'); open >= 0 {
			return jsStop.MatchString(strings.TrimLeft(masked[at+open+1:], " \t\r\n"))
		}
	}
	return false
}

// closing is the offset behind the bracket that closes the one at open; negative where it does not.
func closing(masked string, open int) int {
	depth := 0
	for i := open; i < len(masked); i++ {
		switch masked[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// part is a unit of text[from:to].
func part(file, text, masked, name string, from, to int) Unit {
	u := Unit{
		File: file, Name: name, First: 1 + strings.Count(text[:from], "\n"),
		Last:  1 + strings.Count(text[:to], "\n"),
		Lines: normalLines(text, masked, from, to),
	}
	u.Asserts, u.Values = statements(text, masked, from, to)
	return u
}

// withRest adds what stands around the tests of a file: imports aside, they share it.
func withRest(units []Unit, file, text, masked string, taken [][2]int) []Unit {
	if len(units) == 0 {
		return nil
	}
	rest := []byte(masked)
	for _, span := range taken {
		fill(rest[span[0]:span[1]], blank)
	}
	u := part(file, text, string(rest), "", 0, len(text))
	u.Shared = true
	u.Lines = slices.DeleteFunc(u.Lines,
		func(line string) bool {
			return importing.MatchString(line) || punctuation.MatchString(line)
		})
	if len(u.Lines) > 0 {
		units = append(units, u)
	}
	return units
}

var (
	importing = lazyregexp.New(
		`^(?:import\b|from \S+ import\b|use \S|using \S|package \w|#include\b|require(?:_relative)? |(?:const|let|var) .*= require\(|['"]use strict['"];?$)`)
	punctuation = lazyregexp.New(`^[\s(){}\[\];,]*$`)
)
