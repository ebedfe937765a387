package inline

import (
	"strings"
	"unicode/utf8"

	"autobuild/internal/lazyregexp"
)

// timestamp is what the progress list of an ExecPlan begins its entries with: "(2025-10-01 13:00Z)
// ".
var timestamp = lazyregexp.New(
	`^(?:\(\d{4}-\d\d-\d\d[^()]{0,24}\)|\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?(?: ?Z| UTC)?)?)(?:\s*[:—–-])?\s+`)

// LeadingTimestamp is the timestamp at the beginning of a text, or empty. A text without a digit
// there costs no match.
func LeadingTimestamp(text string) string {
	if digits := strings.TrimPrefix(text, "("); digits == "" || digits[0] < '0' || digits[0] > '9' {
		return ""
	}
	return timestamp.FindString(text)
}

// LeadingBox reads the box that a text begins with: its mark as a byte, and the length of the mark
// in bytes. A tick counts as 'x', and any other emoji as '?'.
func LeadingBox(raw string) (c byte, inner int, ok bool) {
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
	case IsEmoji(r) || strings.ContainsRune("→✗✘…–—•", r):
		return '?', inner, true
	}
	return 0, 0, false
}

// EmojiBoxes are the emoji that stand for boxes at the beginning of items, with the mark of each.
var EmojiBoxes = []struct {
	Glyph string
	Box   byte
}{{"⬜", ' '}, {"☐", ' '}, {"🔲", ' '}, {"◻️", ' '}, {"✅", 'x'}, {"☑", 'x'}, {"✔", 'x'}, {"✓", 'x'}}

// EmojiBox is the mark of the emoji box that a text begins with, and its length in bytes; 0 when
// there is none.
func EmojiBox(raw string) (box byte, size int) {
	for _, p := range EmojiBoxes {
		if rest, found := strings.CutPrefix(raw, p.Glyph); found &&
			strings.HasPrefix(strings.TrimPrefix(rest, "\ufe0f"), " ") {
			return p.Box, len(p.Glyph)
		}
	}
	return 0, 0
}
