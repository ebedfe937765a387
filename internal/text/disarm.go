package text

import (
	"strings"

	"autobuild/internal/lazyregexp"
)

// CleanLine is Clean for a line of its own: no CI runner takes its start for a command either.
func CleanLine(text string, limit int) string {
	return DisarmLines(Clean(text, limit))
}

// DisarmInPlace breaks workflow commands and keeps the width of the text, so that a caret below it
// stays in place.
func DisarmInPlace(s string) string {
	return command.ReplaceAllStringFunc(s, func(m string) string { return m[:len(m)-1] + "(" })
}

// command is the opening of a workflow command, which some CI runners obey anywhere in a line.
var command = lazyregexp.New(`##[A-Za-z]*\[`)

// Disarm breaks workflow commands by a blank.
func Disarm(s string) string {
	if !strings.Contains(s, "##") {
		return s
	}
	return command.ReplaceAllStringFunc(s, func(m string) string { return "# " + m[1:] })
}

// lineStart finds a workflow command at the start of a line, behind blanks and colours.
var lineStart = lazyregexp.New(`(?m)^((?: |\x1b\[[0-9;]*m)*)::`)

// DisarmLines is the last gate of a whole screen: no line of the result begins as "::command::",
// which CI runners obey.
func DisarmLines(s string) string { return lineStart.ReplaceAllString(s, "$1: :") }
