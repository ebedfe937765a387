package render

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// maxMarks is how many combining marks may stand on one character: languages need three.
const maxMarks = 4

// Clean makes foreign text fit to stand in a row of a screen, a log or a CI step: one line, valid UTF-8, no escape
// sequences, control, bidi, zero-width or private characters, no variation selectors or skin tones (terminals disagree
// on their width), blanks collapsed to one, and no workflow command that a CI runner would obey in mid-line.
// Above 0, limit bounds its width in cells, the last being an ellipsis where something was cut off; time and memory are
// then bounded too, however long s is.
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
		case hidden(r):
			continue
		case unicode.In(r, unicode.Mn, unicode.Me):
			if marks++; marks > maxMarks {
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
	clean := disarm(b.String())
	if limit > 0 {
		return cut(clean, limit, "…")
	}
	return clean
}

// hidden reports characters that show nothing of their own, or reorder or replace what stands around them.
func hidden(r rune) bool {
	switch {
	case r == utf8.RuneError:
		return false
	case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Co):
		return true
	case selector(r):
		return true
	case r == 0x034F, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0: // joiner and fillers without a shape
		return true
	}
	return false
}

// selector reports characters that only choose the look of the one before: variation selectors, skin tones, the joiner.
func selector(r rune) bool {
	return r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0100 && r <= 0xE01EF || r >= 0x180B && r <= 0x180F ||
		r >= 0x1F3FB && r <= 0x1F3FF || r == 0x200D
}

// escapes finds escape sequences in one text. It remembers that no string ends any more, so that a text of nothing but
// openings is not searched again at each.
type escapes struct{ endless bool }

// at is the length of the escape sequence at the start of s, 0 when there is none. An operating system command, device
// control or like string that nobody ends loses only its opening: the text behind it may matter.
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

// stringEnd is the length of the string that an operating system command or its like carries, its end included.
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

// command is the opening of a workflow command, which some CI runners obey anywhere in a line.
var command = regexp.MustCompile(`##[A-Za-z]*\[`)

// disarm breaks workflow commands by a blank.
func disarm(s string) string {
	if !strings.Contains(s, "##") {
		return s
	}
	return command.ReplaceAllStringFunc(s, func(m string) string { return "# " + m[1:] })
}

// Width is the number of cells that clean text may take: for each character the larger of what terminals with and
// without grapheme clusters give it. A row that is padded by it can be too short by a blank, but never wraps.
func Width(s string) int {
	width := 0
	for len(s) > 0 {
		cluster, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		if cluster == "" {
			return width
		}
		width += max(w, ansi.StringWidthWc(cluster))
		s = s[len(cluster):]
	}
	return width
}

// doubtful reports whether terminals may disagree on the width of clean text.
func doubtful(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return ansi.StringWidth(s) != ansi.StringWidthWc(s) || strings.ContainsFunc(s, astral)
		}
	}
	return false
}

// astral characters, emoji foremost, are one cell wide for terminals with old tables.
func astral(r rune) bool { return r > 0xFFFF }

// head is the longest start of clean text, in whole characters, that fits into so many cells.
func head(s string, cells int) string {
	width := 0
	for end := 0; end < len(s); {
		cluster, w := ansi.FirstGraphemeCluster(s[end:], ansi.GraphemeWidth)
		width += max(w, ansi.StringWidthWc(cluster))
		if cluster == "" || width > cells {
			return s[:end]
		}
		end += len(cluster)
	}
	return s
}

// cut shortens clean text to so many cells, tail included where something was cut off.
func cut(s string, cells int, tail string) string {
	if len(s) <= cells || len(head(s, cells)) == len(s) {
		return s
	}
	if cells < Width(tail) {
		return ""
	}
	return strings.TrimRight(head(s, cells-Width(tail)), " ") + tail
}

// pad fills clean text with blanks up to so many cells.
func pad(s string, cells int) string {
	return s + strings.Repeat(" ", max(0, cells-Width(s)))
}

// wrap breaks clean text into rows of so many cells, at blanks only: a row that ends within
// --commit=auto cannot be pasted. Only a word that is longer than a row is broken inside. Blanks
// within a row stay as many as they are.
func wrap(s string, cells int) []string { return wrapRows(s, cells, cells) }

// blanks makes one line of several.
var blanks = strings.NewReplacer("\r", " ", "\n", " ", "\t", " ")

// wrapRows is wrap with a first row of another width.
func wrapRows(s string, first, others int) []string {
	var rows []string
	row, used := "", 0
	cells := max(first, 2)
	s = blanks.Replace(s)
	end := func() {
		rows, row, used, cells = append(rows, row), "", 0, max(others, 2)
	}
	for s != "" {
		word := strings.TrimLeft(s, " ")
		gap := s[:len(s)-len(word)]
		s = ""
		if at := strings.IndexByte(word, ' '); at >= 0 {
			word, s = word[:at], word[at:]
		}
		w := Width(word)
		switch {
		case word == "":
			continue
		case row == "":
		case used+len(gap)+w <= cells:
			row, used = row+gap+word, used+len(gap)+w
			continue
		default:
			end()
		}
		for w > cells {
			part := head(word, cells)
			if part == "" { // one character, wider than a row: some scripts stack without end
				part = string([]rune(word)[:1])
			}
			row, word = part, word[len(part):]
			end()
			w = Width(word)
		}
		row, used = word, w
	}
	if row != "" || len(rows) == 0 {
		rows = append(rows, row)
	}
	return rows
}

var lineStart = regexp.MustCompile(`(?m)^((?: |\x1b\[[0-9;]*m)*)::`)

// screen is the last gate of a whole screen: no line of it may begin as "::command::", which CI runners obey.
func screen(s string) string { return lineStart.ReplaceAllString(s, "$1: :") }

// rows breaks clean text at words where a window would break it anywhere else. Its first row begins at a column, the others
// are indented; elsewhere it stays one row, as tools that read it expect.
func (s Style) rows(text string, column, indent int) string {
	if !s.Wrap || column+Width(text) <= s.width() {
		return text
	}
	if s.width() < indent+16 {
		indent = 2
	}
	return strings.Join(wrapRows(text, max(8, s.width()-column), s.width()-indent), "\n"+strings.Repeat(" ", indent))
}

// Note is a sentence of the program's own, in rows that fit a person's window. A command at its end has a row of its own, so
// that it can be pasted.
func (s Style) Note(text string) string {
	text = s.Spelled(text)
	if !s.Wrap || Width(text) <= s.width() {
		return text
	}
	said, command := text, ""
	if at := strings.LastIndex(text, ": autobuild "); at > 0 {
		said, command = text[:at+1], "\n  "+text[at+2:]
	}
	return s.rows(said, 0, 2) + command
}

// More is a sentence that goes on with the one of the Note before, indented below it.
func (s Style) More(text string) string {
	const indent = "  "
	return indent + s.rows(s.Spelled(text), len(indent), 2*len(indent))
}

// show is Clean for this Style, in ASCII spelled where that can be.
func (s Style) show(text string, limit int) string {
	if !s.ASCII {
		return Clean(text, limit)
	}
	clean := Clean(text, 0)
	if limit > 0 {
		clean = Clean(text, limit+1)
	}
	if body, was := strings.CutSuffix(clean, "…"); was && limit > 0 && Width(clean) > limit {
		return cut(ascii(body), limit-1, "") + "~"
	}
	return cut(ascii(clean), limitOr(limit), "~")
}

func limitOr(limit int) int {
	if limit <= 0 {
		return int(^uint(0) >> 1)
	}
	return limit
}
