// Package text makes foreign text fit to be shown: it cleans, measures, cuts, wraps and spells it.
// Clean is the one gate that every piece of foreign text passes, so that all functions behind it
// may rely on valid, harmless, single-line text. It does not know terminals, files or what a text
// is about.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// MaxMarks is how many combining marks may stand on one character: languages need three.
const MaxMarks = 4

// Clean makes foreign text fit to stand in a row of a screen, a log or a CI step: one line, valid
// UTF-8, no escape sequences, control, bidi, zero-width or private characters, no variation
// selectors or skin tones (terminals disagree on their width), blanks collapsed to one, and no
// workflow command that a CI runner would obey in mid-line. Above 0, limit bounds its width in
// cells, the last being an ellipsis where something was cut off; time and memory are then bounded
// too, however long s is.
func Clean(s string, limit int) string {
	var b strings.Builder
	var seen escapes
	width, blank, marks := 0, false, 0
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if n := seen.at(s, r, size); n > 0 {
			s = s[n:]
			continue
		}
		s = s[size:]
		switch {
		case unicode.IsSpace(r):
			blank = b.Len() > 0
			continue
		case Hidden(r):
			continue
		case unicode.In(r, unicode.Mn, unicode.Me):
			if marks++; marks > MaxMarks {
				continue
			}
		case !unicode.IsGraphic(r):
			r = utf8.RuneError
			fallthrough
		default:
			marks = 0
		}
		if blank {
			b.WriteByte(' ')
			blank = false
		}
		b.WriteRune(r)
		width += ansi.StringWidthWc(string(r))
		if limit > 0 && (width-16)/4 > limit {
			break
		}
	}
	clean := Disarm(b.String())
	if limit > 0 {
		return Cut(clean, limit, "…")
	}
	return clean
}

// Hidden reports characters that show nothing of their own, or reorder or replace what stands
// around them.
func Hidden(r rune) bool {
	switch {
	case r == utf8.RuneError:
		return false
	case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Co):
		return true
	case Selector(r):
		return true
	// joiner and fillers without a shape
	case r == 0x034F, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0:
		return true
	}
	return false
}

// Selector reports characters that only choose the look of the one before: variation selectors,
// skin tones, the joiner.
func Selector(r rune) bool {
	return r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0100 && r <= 0xE01EF || r >= 0x180B &&
		r <= 0x180F ||
		r >= 0x1F3FB && r <= 0x1F3FF || r == 0x200D
}

// escapes finds escape sequences in one text. It remembers that no string ends any more, so that a
// text of nothing but openings is not searched again at each.
type escapes struct{ endless bool }

// at is the length of the escape sequence at the start of s, 0 when there is none. An operating
// system command, device control or like string without an end loses only its opening: the text
// behind it may matter.
func (e *escapes) at(s string, r rune, size int) int {
	rest := s[size:]
	if r == '\x1b' && rest != "" && rest[0] >= ' ' && rest[0] < utf8.RuneSelf {
		r, rest = rune(rest[0])+0x40, rest[1:] // the two-byte form of a C1 control
		size++
		if r < 0x80 || r > 0x9f {
			return size + charset(r-0x40, rest)
		}
	}
	switch r {
	case 0x9b:
		return size + csi(rest)
	case 0x90, 0x98, 0x9d, 0x9e, 0x9f:
		return size + e.stringEnd(rest)
	}
	if r >= 0x80 && r <= 0x9f {
		return size
	}
	return 0
}

// charset is the rest of an escape with intermediate bytes, most of which choose a character set.
func charset(first rune, rest string) int {
	if first < 0x20 || first > 0x2f {
		return 0
	}
	n := 0
	for n < len(rest) && rest[n] >= 0x20 && rest[n] <= 0x2f {
		n++
	}
	if n < len(rest) && rest[n] >= 0x30 && rest[n] < 0x7f {
		n++
	}
	return n
}

func csi(rest string) int {
	n := 0
	for n < len(rest) && rest[n] >= 0x20 && rest[n] <= 0x3f {
		n++
	}
	if n < len(rest) && rest[n] >= 0x40 && rest[n] < 0x7f {
		n++
	}
	return n
}

// stringEnd is the length of the string that an operating system command or its like carries, its
// end included.
func (e *escapes) stringEnd(rest string) int {
	if e.endless {
		return 0
	}
	for i := range len(rest) {
		switch {
		case rest[i] == '\a':
			return i + 1
		case strings.HasPrefix(rest[i:], "\x1b\\"), strings.HasPrefix(rest[i:], "\u009c"):
			return i + 2
		}
	}
	e.endless = true
	return 0
}

// ShowsItself reports whether Clean would change nothing in text, blanks aside. With onlyASCII,
// text beyond ASCII does not qualify either.
func ShowsItself(text string, onlyASCII bool) bool {
	if !utf8.ValidString(text) || Disarm(text) != text {
		return false
	}
	return strings.IndexFunc(text, func(r rune) bool {
		return onlyASCII && r >= utf8.RuneSelf || Hidden(r) || r != ' ' &&
			(unicode.IsSpace(r) || !unicode.IsGraphic(r))
	}) < 0
}
