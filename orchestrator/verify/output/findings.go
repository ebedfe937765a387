package output

import (
	"path"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/state"
)

// A finding of most tools is one line. The patterns are tried in order and the first that fits is
// taken; the group s is a severity, and a finding that is only a warning does not count.
var oneLine = []*lazyregexp.Regexp{
	// tsc, msbuild: src/a.ts(2,14): error TS2322: Type …
	lazyregexp.New(
		`^\s*(?P<file>[^\s(].*?)\((?P<line>\d+),(?P<col>\d+)\): (?P<s>error|warning) (?P<rule>[A-Z]+\d+): (?P<msg>.*?)(?: \[[^\]]*proj\])?$`),
	// tsc --pretty: src/a.ts:2:14 - error TS2322: Type …
	lazyregexp.New(
		`^(?P<file>\S.*?):(?P<line>\d+):(?P<col>\d+) - (?P<s>error|warning) (?P<rule>TS\d+): (?P<msg>.*)$`),
	// mypy, pyright: app/a.py:3:5: error: Incompatible …  [assignment]
	lazyregexp.New(
		`^\s*(?P<file>[^\s:]+\.pyi?):(?P<line>\d+)(?::(?P<col>\d+))?(?::| -) (?P<s>error|warning|note|information): (?P<msg>.*?)(?:\s+[\[(](?P<rule>[\w-]+)[\])])?$`),
	// ruff, flake8: app/a.py:1:8: F401 [*] `os` imported but unused
	lazyregexp.New(
		`^(?P<file>[^\s:]+\.pyi?):(?P<line>\d+):(?P<col>\d+): (?P<rule>[A-Z]+\d+) (?:\[\*\] )?(?P<msg>.*)$`),
	// rubocop: lib/a.rb:1:5: C: [Correctable] Style/Not: Use …
	lazyregexp.New(
		`^(?P<file>[^\s:]+\.rb):(?P<line>\d+):(?P<col>\d+): [CRWEF]: (?:\[Correctable\] )?(?P<rule>[A-Z]\w*/[\w/]+): (?P<msg>.*)$`),
	// golangci-lint: a/b.go:5:24: printf: … (govet)
	lazyregexp.New(
		`^(?P<file>[^\s:]+\.go):(?P<line>\d+):(?P<col>\d+): (?P<msg>.*) \((?P<rule>[a-z][\w-]+)\)$`),
	// biome: src/a.ts:1:8 lint/correctness/noUnusedImports  FIXABLE
	lazyregexp.New(
		`^(?P<file>\S+):(?P<line>\d+):(?P<col>\d+) (?P<rule>(?:lint|assist)/\S+)(?P<msg>)`),
	// Maven's compiler: [ERROR] /home/dev/src/A.java:[12,8] cannot find symbol
	lazyregexp.New(
		`^\[(?P<s>ERROR|WARN\w*)\] (?P<file>\S+\.\w+):\[(?P<line>\d+),(?P<col>\d+)\] (?P<msg>.*)$`),
	// javac: src/A.java:12: error: cannot find symbol
	lazyregexp.New(`^(?P<file>\S+\.(?:java|kt)):(?P<line>\d+): (?P<s>error|warning): (?P<msg>.*)$`),
	// gcc, clang, swift, eslint --format unix: a.c:3:5: error: …
	lazyregexp.New(
		`^(?P<file>[^\s:]+(?:\.\w+)):(?P<line>\d+):(?P<col>\d+): (?P<s>(?:fatal )?error|warning|note): (?P<msg>.*)$`),
	// eslint's unix format: src/a.js:1:7: 'x' is never used. [Error/no-unused-vars]
	lazyregexp.New(
		`^(?P<file>[^\s:]+\.\w+):(?P<line>\d+):(?P<col>\d+): (?P<msg>.*) \[(?P<s>Error|Warning)(?:/(?P<rule>\S+))?\]$`),
	// go build, go vet, and everything else that says file:line:col: message
	lazyregexp.New(
		`^(?:vet: )?(?P<file>(?:[A-Za-z]:\\)?[^\s:]+\.\w+):(?P<line>\d+):(?P<col>\d+): (?P<msg>\S.*)$`),
	// Formatters, which complain of a whole file.
	lazyregexp.New(
		`^(?i:would reformat):? (?P<file>\S.*)$`), // black, ruff
	lazyregexp.New(
		`^\[warn\] (?P<file>\S+\.\w+)$`), // prettier
	lazyregexp.New(
		`^\[error\] (?P<file>\S+\.\w+): (?P<msg>\w*Error: .*)$`), // prettier
	lazyregexp.New(
		`^Diff in (?P<file>\S+?\.rs)(?::(?P<line>\d+):| at line (?P<line2>\d+):)`), // rustfmt
}

var (
	eslintRow = lazyregexp.New(`^\s+(\d+):(\d+)\s+(error|warning)\s+(.*?)(?:\s{2,}(\S+))?$`)
	rustHead  = lazyregexp.New(`^(error|warning)(?:\[(\w+)\])?: (.+)$`)
	rustAt    = lazyregexp.New(`^\s*--> (\S.*?):(\d+):(\d+)$`)
	rustLint  = lazyregexp.New(`^\s*= note: .*-D (\S+?)\W? implied by|#\[(?:deny|warn)\((\S+?)\)\]`)
	ruffHead  = lazyregexp.New(`^([A-Z]+\d+) (?:\[\*\] )?(.+)$`)
	gofmtFile = lazyregexp.New(`^\S+\.go$`)
	goVariant = lazyregexp.New(`^# \S`)
)

// findings reads linters, compilers, type checkers and formatters. Those of which a finding takes
// several lines leave their first line behind in pending.
type findings struct {
	place  Paths
	format bool // bare names of files are findings
	places []state.Place
	total  int

	file    string      // under which eslint lists what it found
	pending state.Place // waits for the line that says where
	warning bool        // … and is none of our business
	rust    int         // index of the last finding of rustc, plus one
}

func (f *findings) line(s string) {
	switch {
	case s == "":
		f.rust = 0
	case goVariant.MatchString(s), f.rustc(s), f.eslint(s), f.single(s):
	case f.format && gofmtFile.MatchString(s):
		f.add(state.Place{File: s})
	}
}

// single tries the patterns of one line.
func (f *findings) single(s string) bool {
	if !mayPlace(s) {
		return false
	}
	for _, re := range oneLine {
		m := re.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		var p state.Place
		counts := true
		for i, name := range re.SubexpNames() {
			switch name {
			case "file":
				p.File = m[i]
			case "line", "line2":
				p.Line = max(p.Line, number(m[i]))
			case "col":
				p.Col = number(m[i])
			case "rule":
				p.Rule = m[i]
			case "msg":
				p.Message = m[i]
			case "s":
				counts = strings.Contains(strings.ToLower(m[i]), "error")
			}
		}
		if counts {
			f.add(p)
		}
		return true
	}
	return false
}

// rustc reads a head with the message, and the arrow below it with the place. Ruff has the same
// arrow.
func (f *findings) rustc(s string) bool {
	if strings.Contains(s, "--> ") {
		m := rustAt.FindStringSubmatch(s)
		if m == nil {
			return false
		}
		if f.pending.Message != "" && !f.warning {
			f.pending.File, f.pending.Line, f.pending.Col = m[1], number(m[2]), number(m[3])
			if f.add(f.pending) {
				f.rust = len(f.places)
			}
		}
		f.pending = state.Place{}
		return true
	}
	if m := rustHead.FindStringSubmatch(s); m != nil {
		f.pending, f.warning = state.Place{Rule: m[2], Message: m[3]}, m[1] == "warning"
		return true
	}
	if s[0] < 'A' || s[0] > 'Z' {
		return f.rustRule(s)
	}
	if m := ruffHead.FindStringSubmatch(s); m != nil {
		f.pending, f.warning = state.Place{Rule: m[1], Message: m[2]}, false
		return true
	}
	return false
}

// rustRule adds the rule that a note below a finding names.
func (f *findings) rustRule(s string) bool {
	if f.rust == 0 || f.places[f.rust-1].Rule != "" {
		return false
	}
	if m := rustLint.FindStringSubmatch(s); m != nil {
		f.places[f.rust-1].Rule = clip(m[1] + m[2])
	}
	return false
}

// eslint reads the default format: a file on a line of its own, then a line a finding.
func (f *findings) eslint(s string) bool {
	if m := f.row(s); m != nil {
		if m[3] == "error" {
			f.add(state.Place{
				File: f.file, Line: number(m[1]), Col: number(m[2]), Rule: m[5],
				Message: m[4],
			})
		}
		return true
	}
	f.file = ""
	if s[0] != ' ' && wordFrom(s, strings.LastIndexByte(s, '.')+1) {
		f.file = s
	}
	return false
}

// wordFrom reports whether s, from i on, is one word and nothing else.
func wordFrom(s string, i int) bool {
	if i <= 0 || i >= len(s) {
		return false
	}
	for ; i < len(s); i++ {
		if !word(s[i]) {
			return false
		}
	}
	return true
}

func word(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// mayPlace reports whether a line may name a place at all: an extension with a colon or a
// parenthesis and a number behind it, or one of the formatters' beginnings. Most lines do not, and
// a log can be long.
func mayPlace(s string) bool {
	for i := 2; i+1 < len(s); i++ {
		if s[i] != ':' && s[i] != '(' || !word(s[i-1]) {
			continue
		}
		if next := s[i+1]; next != '[' && (next < '0' || next > '9') {
			continue
		}
		j := i - 1
		for j > 0 && word(s[j]) {
			j--
		}
		if s[j] == '.' {
			return true
		}
	}
	return strings.HasPrefix(s, "[") || strings.HasPrefix(s, "Diff in ") ||
		strings.HasPrefix(strings.ToLower(s[:min(len(s), 14)]), "would reformat")
}

// add records a finding, unless it is there already: compilers repeat an error for each target.
func (f *findings) add(p state.Place) bool {
	p.File = clip(f.place.rel(p.File))
	p.Rule, p.Message = clip(p.Rule), clip(strings.TrimSpace(p.Message))
	for _, q := range f.places {
		if q.File == p.File && q.Line == p.Line && q.Col == p.Col && q.Message == p.Message {
			return false
		}
		if f.format && q.File == p.File && p.Message == "" { // a formatter's parts of one file
			return false
		}
	}
	if path.Ext(p.File) == "" && p.Line == 0 {
		return false
	}
	f.total++
	if len(f.places) == maxFindings {
		return false
	}
	f.places = append(f.places, p)
	return true
}

// row is a line below a file's name; nil when there is no file or the line is something else.
func (f *findings) row(s string) []string {
	if f.file == "" {
		return nil
	}
	return eslintRow.FindStringSubmatch(s)
}
