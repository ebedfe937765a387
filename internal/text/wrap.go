package text

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Width is the number of cells that clean text may take: for each character the larger of what
// terminals with and without grapheme clusters give it. A row that is padded by it can be too short
// by a blank, but never wraps.
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

// Ambiguous reports whether terminals may disagree on the width of clean text.
func Ambiguous(s string) bool {
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

// Cut shortens clean text to so many cells, tail included where something was cut off.
func Cut(s string, cells int, tail string) string {
	if len(s) <= cells || len(head(s, cells)) == len(s) {
		return s
	}
	if cells < Width(tail) {
		return ""
	}
	return strings.TrimRight(head(s, cells-Width(tail)), " ") + tail
}

// Pad fills clean text with blanks up to so many cells.
func Pad(s string, cells int) string {
	return s + strings.Repeat(" ", max(0, cells-Width(s)))
}

// Wrap breaks clean text into rows of so many cells, at blanks only: a row that ends within
// --commit=auto cannot be pasted. Only a word that is longer than a row is broken inside. Blanks
// within a row stay as many as they are.
func Wrap(s string, cells int) []string { return WrapRows(s, cells, cells) }

// blanks makes one line of several.
var blanks = strings.NewReplacer("\r", " ", "\n", " ", "\t", " ")

// WrapRows is Wrap with a first row of another width.
func WrapRows(s string, first, others int) []string {
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
