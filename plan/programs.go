package plan

import (
	"slices"
	"strings"
)

// builtins are words at the start of a command that are no programs to look for: the shell has them
// itself.
var builtins = []string{
	".", ":", "[", "[[", "alias", "bg", "break", "builtin", "case", "cd", "command", "continue",
	"declare",
	"do", "done", "echo", "elif", "else", "esac",
	"eval", "exec", "exit", "export", "false", "fi", "for", "function", "getopts", "hash", "if",
	"in",
	"jobs", "kill", "local", "popd",
	"printf", "pushd", "pwd", "read", "readonly", "return", "select", "set", "shift", "shopt",
	"source",
	"test", "then", "time", "times", "trap",
	"true", "type", "ulimit", "umask", "unalias", "unset", "until", "wait", "while", "{", "}", "!",
	"((",
	"env", "sudo", "nohup",
}

// transparent are builtins behind which another command stands.
var transparent = []string{
	"!", "time", "exec", "command", "env", "nohup", "if", "while", "until", "then",
	"do", "else", "elif",
}

// programs lists the programs that shell text calls. It stops at the first construct that only a
// shell can evaluate.
func programs(text string) []string {
	var found []string
	moved := false
	for line := range strings.Lines(text) {
		if strings.Contains(line, "<<") || strings.Contains(line, "()") {
			break
		}
		for _, simple := range simpleCommands(strings.TrimSpace(line)) {
			name := program(simple)
			if first, _, _ := strings.Cut(strings.TrimLeft(simple, " ("), " "); first == "cd" ||
				first == "pushd" {
				moved = true
			}
			if name != "" && !slices.Contains(found, name) &&
				(!moved || !strings.Contains(name, "/")) {
				found = append(found, name)
			}
		}
		if strings.HasSuffix(strings.TrimSpace(line), "\\") ||
			strings.Count(line, "'")%2+strings.Count(line, "\"")%2 > 0 {
			break // what follows goes on with this line
		}
	}
	return found
}

// simpleCommands cuts a line at the operators between its commands, outside quotes.
func simpleCommands(line string) []string {
	var parts []string
	var quote byte
	start := 0
	for i := 0; i < len(line); i++ {
		switch ch := line[i]; {
		case quote != 0:
			if ch == quote {
				quote = 0
			}
		case ch == '\\':
			i++
		case ch == '\'' || ch == '"':
			quote = ch
		case ch == '#' && (i == 0 || line[i-1] == ' '):
			return append(parts, line[start:i])
		case ch == '$' || ch == '`':
			if strings.HasPrefix(line[i:], "$(") || ch == '`' {
				return append(parts, line[start:i])
			}
		case ch == ';' || ch == '|' || ch == '&' && (i == 0 || line[i-1] != '>') &&
			(i+1 == len(line) || line[i+1] != '>'):
			parts = append(parts, line[start:i])
			start = i + 1
		}
	}
	return append(parts, line[min(start, len(line)):])
}

// program is the first word of a simple command that names a program; "" when there is none.
func program(simple string) string {
	for _, word := range strings.Fields(strings.Trim(simple, "() ")) {
		name, _, assigns := strings.Cut(word, "=")
		switch {
		case assigns && plainName(name):
			continue
		case slices.Contains(transparent, word):
			continue
		case slices.Contains(builtins, word), strings.HasPrefix(word, "-"),
			!plainName(strings.NewReplacer("/", "", ".", "", "-", "", "+", "", "@",
				"").Replace(word)):
			return ""
		}
		return word
	}
	return ""
}

// plainName reports whether a word is made of letters, digits and underscores.
func plainName(s string) bool {
	for i := range len(s) {
		if !letterOrDigit(s[i]) && s[i] != '_' || s[i] >= 0x80 {
			return false
		}
	}
	return s != ""
}
