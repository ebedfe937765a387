package proc

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// Escape makes foreign text safe for logs and terminals by an allow-list: newline, tab and graphic
// characters pass, every byte of anything else (controls, bidi, line separators, broken UTF-8)
// appears as \xNN. A carriage return before a newline is dropped, because there it can overwrite
// nothing.
func Escape(s string) string {
	for i := range len(s) {
		if !plain(s[i]) {
			out, _ := appendEscaped(make([]byte, 0, len(s)+16), []byte(s), true)
			return string(out)
		}
	}
	return s
}

func plain(b byte) bool { return b >= 0x20 && b < 0x7f || b == '\n' || b == '\t' }

// appendEscaped escapes src onto dst and returns what it could not judge yet: the start of a
// character, or a carriage return whose successor is unknown. With final nothing is left over.
func appendEscaped(dst, src []byte, final bool) (out, rest []byte) {
	for i := 0; i < len(src); {
		j := i
		for j < len(src) && plain(src[j]) {
			j++
		}
		dst = append(dst, src[i:j]...)
		if i = j; i == len(src) {
			break
		}
		size := 1
		if src[i] >= utf8.RuneSelf {
			if !final && !utf8.FullRune(src[i:]) {
				return dst, src[i:]
			}
			var r rune
			r, size = utf8.DecodeRune(src[i:])
			if passes(r, size) {
				dst = append(dst, src[i:i+size]...)
				i += size
				continue
			}
		}
		if src[i] == '\r' {
			if i+1 == len(src) && !final {
				return dst, src[i:]
			}
			if i+1 < len(src) && src[i+1] == '\n' {
				i++
				continue
			}
		}
		for _, b := range src[i : i+size] {
			dst = append(dst, '\\', 'x', hexDigits[b>>4], hexDigits[b&15])
		}
		i += size
	}
	return dst, nil
}

// passes judges a character outside ASCII. The two joiners are invisible, but scripts and emoji
// need them.
func passes(r rune, size int) bool {
	if r == utf8.RuneError && size <= 1 {
		return false
	}
	return unicode.IsGraphic(r) || r == '\u200c' || r == '\u200d'
}

// Clean makes one printable line of foreign text, for screens: terminal sequences are removed
// whole, white space is folded, unprintable characters are left out, and at most limit characters
// remain, the last of them an ellipsis if something was cut.
func Clean(s string, limit int) string {
	if limit < 1 {
		return ""
	}
	var b strings.Builder
	n, space := 0, false
	for len(s) > 0 && n <= limit {
		if skip := sequence(s); skip > 0 {
			s = s[skip:]
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		s = s[size:]
		switch {
		case unicode.IsSpace(r):
			space = n > 0
			continue
		case r == utf8.RuneError && size <= 1:
			r = utf8.RuneError
		case !passes(r, size) || r == 0x7f:
			continue
		}
		if space {
			b.WriteByte(' ')
			n++
			space = false
		}
		b.WriteRune(r)
		n++
	}
	if n <= limit {
		return b.String()
	}
	return cutRunes(b.String(), limit-1) + "…"
}

func cutRunes(s string, n int) string {
	for i := range s {
		if n <= 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// sequence returns the length of the terminal control sequence at the start of s, 0 if there is
// none. String sequences (titles, clipboard, links) end at their terminator or at the end of the
// line, so that an unfinished one swallows no more than its line.
func sequence(s string) int {
	var kind byte
	var n int
	switch {
	case s[0] == 0x1b && len(s) == 1:
		return 1
	case s[0] == 0x1b:
		kind, n = s[1], 2
	case s[0] == 0xc2 && len(s) > 1 && s[1] >= 0x80 &&
		s[1] < 0xa0: // the same as one character of C1
		kind, n = s[1]-0x40, 2
	default:
		return 0
	}
	switch kind {
	case '[':
		for n < len(s) && s[n] >= 0x20 && s[n] < 0x40 {
			n++
		}
		if n < len(s) && s[n] >= 0x40 && s[n] < 0x7f {
			n++
		}
	case ']', 'P', 'X', '^', '_':
		n += stringLength(s[n:])
	default:
		if kind < 0x20 || kind >= 0x7f {
			return n - 1 // not a sequence: only the introducer goes
		}
		for n < len(s) && kind >= 0x20 && kind < 0x30 { // intermediates, then one final byte
			kind = s[n]
			n++
		}
	}
	return n
}

func stringLength(s string) int {
	for i := range len(s) {
		switch {
		case s[i] == 0x07:
			return i + 1
		case s[i] == '\n':
			return i
		case s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\', s[i] == 0xc2 && i+1 < len(s) &&
			s[i+1] == 0x9c:
			return i + 2
		}
	}
	return len(s)
}
