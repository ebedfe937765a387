package render

import (
	"strings"

	"autobuild/internal/text"
)

// Spelled is text for a reader of this Style.
func (s Style) Spelled(content string) string {
	if !s.ASCII {
		return content
	}
	return text.Spell(content, func(r rune) string { return string(r) })
}

// Rows breaks clean text at words where a window would break it anywhere else. Its first row begins
// at a column, the others are indented; elsewhere it stays one row, as tools that read it expect.
func (s Style) Rows(content string, column, indent int) string {
	if !s.Wrap || column+text.Width(content) <= s.Columns() {
		return content
	}
	if s.Columns() < indent+16 {
		indent = 2
	}
	return strings.Join(text.WrapRows(content, max(8, s.Columns()-column), s.Columns()-indent),
		"\n"+strings.Repeat(" ", indent))
}

// Note is a sentence of the program's own, in rows that fit a person's window. A command at its end
// has a row of its own, so that it can be pasted.
func (s Style) Note(content string) string {
	content = s.Spelled(content)
	if !s.Wrap || text.Width(content) <= s.Columns() {
		return content
	}
	said, command := content, ""
	if at := strings.LastIndex(content, ": autobuild "); at > 0 {
		said, command = content[:at+1], "\n  "+content[at+2:]
	}
	return s.Rows(said, 0, 2) + command
}

// More is a sentence that goes on with the one of the Note before, indented below it.
func (s Style) More(text string) string {
	const indent = "  "
	return indent + s.Rows(s.Spelled(text), len(indent), 2*len(indent))
}

// Show is Clean for this Style, in ASCII spelled where that can be.
func (s Style) Show(content string, limit int) string {
	if !s.ASCII {
		return text.Clean(content, limit)
	}
	clean := text.Clean(content, 0)
	if limit > 0 {
		clean = text.Clean(content, limit+1)
	}
	if body, was := strings.CutSuffix(clean, "…"); was && limit > 0 && text.Width(clean) > limit {
		return text.Cut(text.ASCII(body), limit-1, "") + "~"
	}
	return text.Cut(text.ASCII(clean), limitOr(limit), "~")
}

func limitOr(limit int) int {
	if limit <= 0 {
		return int(^uint(0) >> 1)
	}
	return limit
}
