// Package inline reads the markup within a line: emphasis, code spans, links, tags, emoji and
// boxes. All functions take a string and give a string or a place in it. It does not parse blocks
// and has no state.
package inline

import (
	"html"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"autobuild/internal/lazyregexp"
)

// Plain is a text without its markup: links become their text, emphasis, code marks and escapes go.
func Plain(raw string) string {
	if !strings.ContainsAny(raw, "*_`~[\\<&") {
		return strings.TrimSpace(raw)
	}
	var b strings.Builder
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '\\' && i+1 < len(raw) && raw[i+1] < 0x80 && !IsLetterOrDigit(raw[i+1]):
			b.WriteByte(raw[i+1])
			i += 2
		case c == '`':
			size := CodeSpanSize(raw[i:])
			b.WriteString(strings.Trim(raw[i:i+size], "`"))
			i += size
		case c == '*', c == '~' && i+1 < len(raw) && raw[i+1] == '~':
			i++
			if c == '~' {
				i++
			}
		case c == '_' && (i == 0 || !IsLetterOrDigit(raw[i-1]) || i+1 == len(raw) ||
			!IsLetterOrDigit(raw[i+1])):
			i++
		case c == '[':
			text, size := link(raw[i:])
			b.WriteString(text)
			i += size
		case strings.HasPrefix(raw[i:], "<!--"):
			_, rest, closed := strings.Cut(raw[i:], "-->")
			if !closed {
				rest = ""
			}
			i = len(raw) - len(rest)
		case strings.HasPrefix(raw[i:], "<br"):
			b.WriteByte(' ')
			i += max(strings.IndexByte(raw[i:], '>'), 0) + 1
		case c == '<' && tagAt(raw[i:]) > 0:
			i += tagAt(raw[i:])
		case c == '&' && entityAt(raw[i:]) > 0:
			b.WriteString(strings.ReplaceAll(html.UnescapeString(raw[i:i+entityAt(raw[i:])]),
				"\u00a0", " "))
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
	other := func(r rune) bool {
		return r != '#' && (r >= utf8.RuneSelf || !IsLetterOrDigit(byte(r)))
	}
	if end < 2 || strings.IndexFunc(s[1:end], other) >= 0 {
		return 0
	}
	return end + 1
}

// link reads "[text](target)" or "[[target|text]]" at the start of s; without a target it is only a
// bracket.
func link(s string) (text string, size int) {
	if text, size = wikiLink(s); size > 0 {
		return text, size
	}
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

// wikiLink reads "[[target|text]]" or "[[target]]" at the start of s; size is 0 where none stands
// there. In a table a backslash escapes the bar.
func wikiLink(s string) (text string, size int) {
	const most = 300 // bytes
	inner, found := strings.CutPrefix(s[:min(len(s), most)], "[[")
	inner, _, closed := strings.Cut(inner, "]]")
	if !found || !closed || strings.ContainsAny(inner, "[]\n") {
		return "", 0
	}
	text = inner
	if at := strings.LastIndexByte(inner, '|'); at >= 0 {
		text = inner[at+1:]
	}
	return strings.TrimSpace(text), len(inner) + len("[[]]")
}

// IsStrikethrough reports whether all of a text is crossed out.
func IsStrikethrough(raw string) bool {
	raw = strings.Trim(raw, "* _")
	return strings.HasPrefix(raw, "~~") && strings.Contains(raw[2:], "~~")
}

// WithoutEmoji drops the emoji from a text: "✅ Done" is "Done".
func WithoutEmoji(s string) string {
	if IsASCII(s) {
		return strings.TrimSpace(s)
	}
	bare := strings.TrimSpace(strings.Map(func(r rune) rune {
		if IsEmoji(r) {
			return -1
		}
		return r
	}, s))
	return strings.ReplaceAll(bare, "  ", " ")
}

// IsBlankOrEmoji reports whether a rune is a space, a tab or an emoji.
func IsBlankOrEmoji(r rune) bool { return r == ' ' || r == '\t' || IsEmoji(r) }

// IsEmoji reports whether a rune is an emoji or a part of one.
func IsEmoji(r rune) bool {
	return r == 0xfe0f || r == 0x200d || r == 0x20e3 || r >= 0x1f000 ||
		(r >= 0x2300 && r < 0x2500) ||
		(r >= 0x25a0 && r < 0x2900) || (r >= 0x2b00 && r < 0x2c00)
}

// IsASCII reports whether a text is ASCII.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// IsLetterOrDigit reports whether a byte is an ASCII letter or digit, or a part of another rune.
func IsLetterOrDigit(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf
}

// Words are the lower-case words of a text, without markup or punctuation, with single spaces.
func Words(s string) string {
	s = Plain(s)
	if !IsASCII(s) {
		return strings.Join(strings.FieldsFunc(strings.ToLower(WithoutEmoji(s)), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '/' && r != '-' && r != '\''
		}), " ")
	}
	if isWords(s) {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'A' && c <= 'Z':
			out = append(out, c|0x20)
		case IsLetterOrDigit(c) || c == '/' || c == '-' || c == '\'':
			out = append(out, c)
		case len(out) > 0 && out[len(out)-1] != ' ':
			out = append(out, ' ')
		}
	}
	return strings.TrimRight(string(out), " ")
}

// isWords reports whether a text is nothing but lower-case words already.
func isWords(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 'A' && c <= 'Z' ||
			!IsLetterOrDigit(c) && (c != ' ' || i == 0 || i+1 == len(s) || s[i+1] == ' ') {
			return false
		}
	}
	return true
}

// CodeSpans lists the code spans of a text.
func CodeSpans(raw string) []string {
	var found []string
	for i := 0; i < len(raw); {
		if raw[i] != '`' {
			i++
			continue
		}
		size := CodeSpanSize(raw[i:])
		if code := strings.TrimSpace(strings.Trim(raw[i:i+size], "`")); code != "" &&
			raw[i+size-1] == '`' {
			found = append(found, code)
		}
		i += size
	}
	return found
}

// TagName is the name of the tag that a text begins with.
func TagName(s string) string {
	s = strings.TrimLeft(s, "</")
	end := 0
	for end < len(s) && IsLetterOrDigit(s[end]) {
		end++
	}
	return strings.ToLower(s[:end])
}

// inlineTags are the tags that only dress a text.
var inlineTags = []string{
	"a", "b", "strong", "i", "em", "u", "s", "del", "ins", "code", "kbd", "sub", "sup", "span",
	"small", "mark", "font",
	"img", "input", "div", "p", "summary", "h1", "h2", "h3", "h4", "h5", "h6", "center",
}

// tagAt is the length of the tag that a text begins with, 0 when it begins with none. "<a" and
// "</b>" begin tags, "< 3" and "<-" do not.
func tagAt(s string) int {
	name := strings.TrimPrefix(s[1:], "/")
	if name == "" || name[0]|0x20 < 'a' || name[0]|0x20 > 'z' {
		return 0
	}
	end := strings.IndexByte(s[:min(len(s), 300)], '>')
	if end < 0 || !slices.Contains(inlineTags, TagName(s)) {
		return 0
	}
	return end + 1
}

// CodeSpanSize is the length of the code span at the start of s, or of its back-ticks when it does
// not end.
func CodeSpanSize(s string) int {
	size := 0
	for size < len(s) && s[size] == '`' {
		size++
	}
	if end := strings.Index(s[size:], s[:size]); end >= 0 {
		return size + end + size
	}
	return size
}

// WithoutTags is the text of a line outside its tags.
func WithoutTags(line string) string {
	var b strings.Builder
	for line != "" {
		text, tag, found := strings.Cut(line, "<")
		b.WriteString(text)
		if !found {
			break
		}
		if _, line, found = strings.Cut(tag, ">"); !found {
			break
		}
	}
	return Plain(strings.TrimSpace(b.String()))
}

// FirstLine is a text up to its first line break.
func FirstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// FirstRune is the first rune of a text, utf8.RuneError when it is empty.
func FirstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// footnote matches a mark that leads to a footnote.
var footnote = lazyregexp.New(`\[\^[^\]\s]{1,20}\]`)

// PlainList is the text of a list in a cell; a line break there separates.
func PlainList(raw string) string {
	if raw == "*" || raw == `\*` {
		return raw // Plain would take it for a mark
	}
	if strings.Contains(raw, "[^") {
		raw = footnote.ReplaceAllString(raw, "")
	}
	for _, br := range []string{"<br>", "<br/>", "<br />"} {
		raw = strings.ReplaceAll(raw, br, ", ")
	}
	return Plain(raw)
}

// References is the text of a list of dependencies. What is struck out stays between its marks,
// because it is no dependency.
func References(raw string) string {
	const mark = "~~"
	if !strings.Contains(raw, mark) {
		return PlainList(raw)
	}
	parts := strings.Split(raw, mark)
	for i := range parts {
		parts[i] = PlainList(parts[i])
	}
	if len(parts)%2 == 0 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts, mark)
}
