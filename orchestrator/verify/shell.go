package verify

import "strings"

// cmdShell is how Windows runs a command line.
func cmdShell(command string) []string {
	return []string{"cmd", "/d", "/s", "/c", backslashed(command)}
}

// backslashed spells the path of the program that a command begins with as cmd.exe wants it:
// ./gradlew would be the program "." there, and the rest its switches.
func backslashed(command string) string {
	text := strings.TrimLeft(command, " ")
	program, rest := text, ""
	if end := strings.IndexAny(text, " \t"); end >= 0 {
		program, rest = text[:end], text[end:]
	}
	if strings.HasPrefix(program, "/") || strings.ContainsAny(program, `"'&|<>()^%=:`) {
		return command // no path below the directory, or more than one
	}
	return strings.ReplaceAll(program, "/", `\`) + rest
}
