package markdown

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plain is a text without its markup: links become their text, emphasis, code marks and escapes go.
func plain(raw string) string {
	if !strings.ContainsAny(raw, "*_`~[\\<&") {
		return strings.TrimSpace(raw)
	}
	var b strings.Builder
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '\\' && i+1 < len(raw) && raw[i+1] < 0x80 && !alnum(raw[i+1]):
			b.WriteByte(raw[i+1])
			i += 2
		case c == '`':
			size := codeSpan(raw[i:])
			b.WriteString(strings.Trim(raw[i:i+size], "`"))
			i += size
		case c == '*', c == '~' && i+1 < len(raw) && raw[i+1] == '~':
			i++
			if c == '~' {
				i++
			}
		case c == '_' && (i == 0 || !alnum(raw[i-1]) || i+1 == len(raw) || !alnum(raw[i+1])):
			i++
		case c == '[':
			text, size := link(raw[i:])
			b.WriteString(text)
			i += size
		case strings.HasPrefix(raw[i:], "<br"):
			b.WriteByte(' ')
			i += max(strings.IndexByte(raw[i:], '>'), 0) + 1
		case c == '<' && tagAt(raw[i:]) > 0:
			i += tagAt(raw[i:])
		case c == '&' && entityAt(raw[i:]) > 0:
			b.WriteString(strings.ReplaceAll(html.UnescapeString(raw[i:i+entityAt(raw[i:])]), "\u00a0", " "))
			i += entityAt(raw[i:])
		default:
			b.WriteByte(c)
			i++
		}
	}
	return strings.TrimSpace(b.String())
}

// entityAt is the length of the entity that a text begins with, "&lt;" or "&#8212;", 0 when it
// begins with none.
func entityAt(s string) int {
	const longest = 12 // bytes
	end := strings.IndexByte(s[:min(len(s), longest)], ';')
	if end < 2 || strings.IndexFunc(s[1:end], func(r rune) bool { return r != '#' && (r >= utf8.RuneSelf || !alnum(byte(r))) }) >= 0 {
		return 0
	}
	return end + 1
}

// link reads "[text](target)" at the start of s; without a target it is only a bracket.
func link(s string) (text string, size int) {
	end := strings.IndexByte(s[:min(len(s), 1000)], ']')
	if end < 0 || end+1 >= len(s) || s[end+1] != '(' {
		return "[", 1
	}
	stop := strings.IndexByte(s[end:min(len(s), end+2000)], ')')
	if stop < 0 {
		return "[", 1
	}
	return strings.Trim(s[1:end], "`*_"), end + stop + 1
}

// struck reports whether all of a text is crossed out.
func struck(raw string) bool {
	raw = strings.Trim(raw, "* _")
	return strings.HasPrefix(raw, "~~") && strings.Contains(raw[2:], "~~")
}

// unadorned drops pictures and trailing marks from a text: "✅ Done" is "Done".
func unadorned(s string) string {
	if isASCII(s) {
		return strings.TrimSpace(s)
	}
	bare := strings.TrimSpace(strings.Map(func(r rune) rune {
		if picture(r) {
			return -1
		}
		return r
	}, s))
	return strings.ReplaceAll(bare, "  ", " ")
}

// withoutMarks drops the pictures that stand for a status, and keeps those that belong to a name:
// "✅ Shop 🛒" is "Shop 🛒".
func withoutMarks(s string) string {
	if isASCII(s) {
		return strings.TrimSpace(s)
	}
	s = strings.ReplaceAll(s, "\ufe0f\u20e3", "")
	for _, g := range glyphs {
		for {
			before, after, found := strings.Cut(s, g.glyph)
			if !found {
				break
			}
			after = strings.TrimPrefix(after, "\ufe0f")
			if strings.HasSuffix(before, " ") || before == "" {
				after = strings.TrimLeft(after, " ")
			}
			s = before + after
		}
	}
	return strings.TrimSpace(s)
}

// bare is a title without the marks in it and the pictures before it.
func bare(s string) string {
	return strings.TrimLeftFunc(withoutMarks(s), blankOrPicture)
}

func blankOrPicture(r rune) bool { return r == ' ' || r == '\t' || picture(r) }

// trailingPictures cuts the pictures off the end of a name that ends with an aside: "Name (est. 5)
// 🚀".
func trailingPictures(name string) (before, tail string) {
	before = strings.TrimRightFunc(name, blankOrPicture)
	if before == "" || !strings.ContainsAny(before[len(before)-1:], ")]") {
		return name, ""
	}
	return before, name[len(before):]
}

// picture reports whether a rune is an emoji or a part of one.
func picture(r rune) bool {
	return r == 0xfe0f || r == 0x200d || r == 0x20e3 || r >= 0x1f000 || (r >= 0x2300 && r < 0x2500) ||
		(r >= 0x25a0 && r < 0x2900) || (r >= 0x2b00 && r < 0x2c00)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func alnum(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf
}

// words are the lower-case words of a text, without markup or punctuation, with single spaces.
func words(s string) string {
	s = plain(s)
	if !isASCII(s) {
		return strings.Join(strings.FieldsFunc(strings.ToLower(unadorned(s)), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '/' && r != '-' && r != '\''
		}), " ")
	}
	if wordly(s) {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'A' && c <= 'Z':
			out = append(out, c|0x20)
		case alnum(c) || c == '/' || c == '-' || c == '\'':
			out = append(out, c)
		case len(out) > 0 && out[len(out)-1] != ' ':
			out = append(out, ' ')
		}
	}
	return strings.TrimRight(string(out), " ")
}

// wordly reports whether a text is nothing but lower-case words already.
func wordly(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 'A' && c <= 'Z' || !alnum(c) && (c != ' ' || i == 0 || i+1 == len(s) || s[i+1] == ' ') {
			return false
		}
	}
	return true
}

// codes lists the code spans of a text.
func codes(raw string) []string {
	var found []string
	for i := 0; i < len(raw); {
		if raw[i] != '`' {
			i++
			continue
		}
		size := codeSpan(raw[i:])
		if code := strings.TrimSpace(strings.Trim(raw[i:i+size], "`")); code != "" && raw[i+size-1] == '`' {
			found = append(found, code)
		}
		i += size
	}
	return found
}
