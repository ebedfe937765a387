package render

import "time"

// Style describes the capabilities of an output. The zero Style is 80 columns of Unicode without
// escapes, which suits a pipe.
type Style struct {
	// columns; 0 means 80. Boxes are 48 to 100 wide, and below 48 columns they lose their frame
	Width int
	Color bool // colours may be used
	Bold  bool // bold and faint may be used
	// a terminal that obeys cursor columns, so that edges line up for any character width it
	// assumes
	Cursor bool
	ASCII  bool // nothing but ASCII may be written
	// a person's window: sentences are broken at words, since a window breaks them anywhere
	Wrap bool

	Zone *time.Location // of the times that a person waits for; nil is UTC
}

// Columns is the usable number of columns.
func (s Style) Columns() int {
	if s.Width <= 0 {
		return 80
	}
	return max(s.Width, 20)
}
