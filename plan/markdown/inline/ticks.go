package inline

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// timestamp is what the progress list of an ExecPlan begins its entries with: "(2025-10-01 13:00Z)
// ".
var timestamp = regexp.MustCompile(`^(?:\(\d{4}-\d\d-\d\d[^()]{0,24}\)|\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?(?: ?Z| UTC)?)?)(?:\s*[:—–-])?\s+`)

// TimestampOf is the timestamp at the beginning of a text, or empty. A text without a digit there
// costs no match.
func TimestampOf(text string) string {
	if digits := strings.TrimPrefix(text, "("); digits == "" || digits[0] < '0' || digits[0] > '9' {
		return ""
	}
	return timestamp.FindString(text)
}

// Boxed reads the box that a text begins with: what it says, as a byte, and how many bytes it has
// inside. A mark counts as an x, and any other picture as nothing known.
func Boxed(raw string) (c byte, inner int, ok bool) {
	if len(raw) < 3 || raw[0] != '[' {
		return 0, 0, false
	}
	r, inner := utf8.DecodeRuneInString(raw[1:])
	if strings.HasPrefix(raw[1+inner:], "\ufe0f") {
		inner += len("\ufe0f")
	}
	if inner+1 >= len(raw) || raw[inner+1] != ']' {
		return 0, 0, false
	}
	switch {
	case r < utf8.RuneSelf:
		return raw[1], inner, true
	case strings.ContainsRune("✓✔☑✅🗸", r):
		return 'x', inner, true
	case Picture(r) || strings.ContainsRune("→✗✘…–—•", r):
		return '?', inner, true
	}
	return 0, 0, false
}

// Pictured are the pictures that stand for boxes at the beginning of items, and what they say.
var Pictured = []struct {
	Glyph string
	Box   byte
}{{"⬜", ' '}, {"☐", ' '}, {"🔲", ' '}, {"◻️", ' '}, {"✅", 'x'}, {"☑", 'x'}, {"✔", 'x'}, {"✓", 'x'}}

// PictureBox is the picture of a box that a text begins with, 0 bytes when there is none.
func PictureBox(raw string) (box byte, size int) {
	for _, p := range Pictured {
		if rest, found := strings.CutPrefix(raw, p.Glyph); found && strings.HasPrefix(strings.TrimPrefix(rest, "\ufe0f"), " ") {
			return p.Box, len(p.Glyph)
		}
	}
	return 0, 0
}
