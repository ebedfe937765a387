package text

import (
	"slices"
	"strings"
)

// LastLines are the last lines of a text, at most limit of them, without their line ends.
func LastLines(text string, limit int) []string {
	text = strings.TrimRight(text, "\r\n \t")
	if text == "" {
		return nil
	}
	var rows []string
	for len(rows) < limit {
		at := strings.LastIndexByte(text, '\n')
		rows = append(rows, strings.TrimRight(text[at+1:], "\r"))
		if at < 0 {
			break
		}
		text = text[:at]
	}
	slices.Reverse(rows)
	return rows
}

// longLine bounds one line of a log, in cells.
const longLine = 1000

// Indented is a line of a log, cleaned, with its indentation. A tab counts as four blanks.
func Indented(row string) string {
	bare := strings.TrimLeft(row, " \t")
	margin := min(len(row)-len(bare)+3*strings.Count(row[:len(row)-len(bare)], "\t"), 40)
	if len(bare) <= longLine && ShowsItself(strings.ReplaceAll(bare, "\t", " "), false) {
		return strings.Repeat(" ", margin) + strings.ReplaceAll(bare, "\t", "    ")
	}
	return strings.Repeat(" ", margin) + Clean(bare, longLine)
}
