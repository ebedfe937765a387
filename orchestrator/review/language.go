package review

import (
	"strings"

	"autobuild/internal/lazyregexp"
)

// language is what has to be known of one to read a witness that is written in it.
type language struct {
	name    string
	ext     []string
	comment string // begins one that ends with its line
	block   bool   // it has /* */
	quotes  string // begin and end strings
	triple  bool   // tripled quotes too, over lines
	// imports finds the modules that a file uses, in any of its groups
	imports *lazyregexp.Regexp
	// pure are modules that neither look at files nor at the program itself
	pure []string
	// never are words by which code looks at itself, at files, at the clock or at chance
	never *lazyregexp.Regexp
	// declares finds the names that a file makes, in any of its groups
	declares *lazyregexp.Regexp
	// runs is the command for a witness without one: a format of its path and its folder
	runs string
}

// languages are those in which a witness can be read. A shell script has more rules; see shell.go.
var languages = []language{
	{
		name: "python", ext: []string{".py"}, comment: "#", quotes: `'"`, triple: true,
		imports: lazyregexp.New(`(?m)^\s*from\s+([\w.]+)\s+import\b|^\s*import\s+([\w., ]+)`),
		pure: []string{
			"unittest", "pytest", "math", "json", "decimal", "fractions", "collections", "typing",
			"dataclasses", "itertools", "functools", "re", "string",
		},
		never: lazyregexp.New(`\b(?:open|eval|exec|compile|dir|vars|getattr|setattr|hasattr|` +
			`delattr|globals|locals|input|breakpoint|exit|quit|id|mock|monkeypatch|tmp_path|request|` +
			`object|type|super|memoryview|print_exc|capfd|SystemExit|skip\w*|xfail|environ)\b|__\w+`),
		declares: lazyregexp.New(`(?:def|class|for|as)\s+(\w+)|(\w+)\s*=[^=]|(\w+),\s*(\w+)\s*=[^=]`),
		runs:     "python3 -m unittest %s",
	},
	{
		name: "node", ext: []string{".js", ".mjs", ".cjs", ".ts"}, comment: "//", block: true,
		quotes:  "'\"`",
		imports: lazyregexp.New(`(?:\bfrom|\bimport|\brequire\s*\()\s*["']([^"']+)["']`),
		pure: []string{
			"node:test", "node:assert", "node:assert/strict", "assert", "assert/strict", "vitest",
			"@jest/globals", "chai",
		},
		never: lazyregexp.New(`\b(?:eval|Function|process|globalThis|global|module|exports|Reflect|` +
			`Proxy|prototype|constructor|Object|String|Date|random|performance|mock\w*|spyOn|` +
			`toString|toSource|valueOf|inspect|skip|todo|only|fetch|Deno|Bun|crypto|Symbol|` +
			`arguments|callee|caller|console|setTimeout|this)\b|import\s*\(|__\w+|\+\s*''`),
		declares: lazyregexp.New(`(?:const|let|var|function|class)\s+(\w+)|(\w+)\s*=>|\((\w+)\)\s*=>`),
		runs:     "node --test %s",
	},
	{
		name: "go", ext: []string{".go"}, comment: "//", block: true, quotes: "'\"`",
		imports: lazyregexp.New(`(?m)^(?:import\s+)?\s*(?:[\w.]+\s+)?"([^"\s]+)"\s*$`),
		pure: []string{
			"testing", "strings", "errors", "bytes", "fmt", "math", "sort", "slices", "maps",
			"strconv", "reflect", "encoding/json", "context", "unicode", "unicode/utf8", "cmp",
		},
		never: lazyregexp.New(`\b(?:init|TestMain|TempDir|Skip\w*|Setenv|Chdir|Parallel|Deadline|` +
			`TypeOf|ValueOf|NumMethod|MethodByName|unsafe|panic|recover)\b|//go:|\bimport\s+"C"`),
		declares: lazyregexp.New(`(?:func|var|const|type)\s+(\w+)|(\w+)\s*:?=[^=]|(\w+),\s*(\w+)\s*:?=[^=]`),
		runs:     "go test -count=1 ./%[2]s",
	},
	{name: "shell", ext: []string{".sh", ".bash"}, comment: "#", quotes: "'", runs: "sh %s"},
}

// blank is code without its comments and the content of its strings; both become spaces, so that
// lines stay where they are. Strings that hold code stay.
func (l *language) blank(code string) string {
	out := []byte(code)
	for i := 0; i < len(code); {
		end, keep := i+1, true
		rest := code[i:]
		switch {
		case strings.HasPrefix(rest, l.comment) && (l.name != "shell" || i == 0 ||
			strings.ContainsRune(" \t\n;", rune(code[i-1]))):
			end, keep = until(code, i, "\n", 0), false
		case l.block && strings.HasPrefix(rest, "/*"):
			end, keep = until(code, i+2, "*/", 2), false
		case l.triple && (strings.HasPrefix(rest, `"""`) || strings.HasPrefix(rest, `'''`)):
			end, keep = until(code, i+3, rest[:3], 3), l.formatted(code, i)
		case strings.IndexByte(l.quotes, code[i]) >= 0:
			end = closing(code, i)
			keep = l.formatted(code, i) || code[i] == '`' && strings.Contains(code[i:end], "${")
		}
		for n := i; n < end && !keep; n++ {
			if out[n] != '\n' {
				out[n] = ' '
			}
		}
		i = end
	}
	return string(out)
}

// formatted reports whether the string at i is one in which Python evaluates code.
func (l *language) formatted(code string, i int) bool {
	return l.name == "python" && i > 0 && strings.ContainsRune("fFtT", rune(code[i-1]))
}

func until(code string, from int, end string, more int) int {
	if from > len(code) {
		return len(code)
	}
	if i := strings.Index(code[from:], end); i >= 0 {
		return from + i + more
	}
	return len(code)
}

// closing is where the string that begins at i is over: at its line's end at the latest, unless it
// may have more lines.
func closing(code string, i int) int {
	for n := i + 1; n < len(code); n++ {
		switch {
		case code[n] == '\\' && code[i] != '`':
			n++
		case code[n] == code[i]:
			return n + 1
		case code[n] == '\n' && code[i] != '`':
			return n
		}
	}
	return len(code)
}

// strip is what remains of a line of a file without comments and strings, wherever the line stands
// in it; empty where one of them lies in either, or the language has texts that blank cannot see.
func (l *language) strip(file, line string) string {
	if l.name == "shell" && strings.Contains(file, "<<") {
		return ""
	}
	blanked := strings.Split(l.blank(file), "\n")
	out := ""
	for i, text := range strings.Split(file, "\n") {
		if i >= len(blanked) || strings.TrimSpace(text) != strings.TrimSpace(line) {
			continue
		}
		if out = strings.TrimSpace(blanked[i]); out == "" {
			return ""
		}
	}
	return out
}
