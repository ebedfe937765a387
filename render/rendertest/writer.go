package rendertest

import (
	"io"
	"strings"
)

// Writer counts its writes, and fails after some of them.
type Writer struct {
	Text   strings.Builder
	Writes int
	Left   int // writes until it breaks; 0 never does
}

// Write appends b to Text.
func (p *Writer) Write(b []byte) (int, error) {
	p.Writes++
	if p.Left > 0 {
		if p.Left--; p.Left == 0 {
			return 0, io.ErrClosedPipe
		}
	}
	return p.Text.Write(b)
}
