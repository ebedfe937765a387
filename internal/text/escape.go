package text

import (
	"fmt"
	"unicode/utf8"
)

// EscapeJSON writes characters and commands that a terminal or CI runner would obey as escapes of
// JSON. They can stand in strings only, so the meaning of the JSON stays the same.
func EscapeJSON(text []byte) []byte {
	text = command.ReplaceAllFunc(text,
		func(m []byte) []byte { return append(m[:len(m)-1:len(m)-1], `\u005b`...) })
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r < 0x7f || !Hidden(r):
			out = append(out, text[:size]...)
		case r > 0xFFFF:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3ff)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		text = text[size:]
	}
	return out
}
