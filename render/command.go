package render

import (
	"fmt"
	"strings"

	"autobuild/internal/text"
	"autobuild/state"
)

// PhaseArg is the argument that names a phase in a command: its label where that is short and
// plain, else its id.
func PhaseArg(p *state.Phase) string {
	if len(p.Label) > 24 || Command([]string{p.Label}) != p.Label {
		return p.ID
	}
	return p.Label
}

// ProgramOf are the words that call autobuild.
func ProgramOf(e Ending) []string {
	if len(e.Program) == 0 {
		return []string{"autobuild"}
	}
	return append([]string(nil), e.Program...)
}

// Command is an argument vector as one line that a POSIX shell takes back apart into the same
// words. Characters that may not reach a terminal are written as $'\ooo', which bash, zsh and ksh
// understand.
func Command(argv []string) string { return Style{}.Command(argv) }

// Command is the function Command in this Style: in ASCII, everything else is escaped.
func (s Style) Command(argv []string) string {
	words := make([]string, len(argv))
	for i, arg := range argv {
		words[i] = s.quote(arg)
	}
	return strings.Join(words, " ")
}

// isPlain reports whether a character is literal within a word of any shell.
func isPlain(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
		strings.ContainsRune("_-./=,:@%+", r)
}

func (s Style) quote(arg string) string {
	plain := strings.TrimLeftFunc(arg, isPlain) == ""
	if plain && arg != "" && arg[0] != '=' && !strings.HasPrefix(arg, "::") {
		return arg
	}
	if s.shows(arg) {
		return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(arg) {
		c := arg[i]
		if c < ' ' || c >= 0x7f || strings.IndexByte(`\'[`, c) >= 0 {
			fmt.Fprintf(&b, `\%03o`, c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String() + "'"
}

// shows reports whether a word may stand on the screen as it is.
func (s Style) shows(word string) bool { return text.ShowsItself(word, s.ASCII) }

// Fence writes lines between fences that none of them can close.
func Fence(out *strings.Builder, word string, lines []string) {
	fence := "```"
	for _, line := range lines {
		for strings.Contains(line, fence) {
			fence += "`"
		}
	}
	out.WriteString(fence + word + "\n")
	for _, line := range lines {
		out.WriteString(safeLine(line) + "\n")
	}
	out.WriteString(fence + "\n")
}

// safeLine is a line of a plan as it is, unless a terminal would obey something in it.
func safeLine(line string) string {
	if (Style{}).shows(strings.ReplaceAll(line, "\t", " ")) {
		return line
	}
	return text.Clean(line, 0)
}
