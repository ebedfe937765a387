package term

import (
	"bytes"
	"fmt"
	"slices"
)

// region is the frame as it stands on the terminal, right above the cursor, which is at the start
// of the row below it. The law that keeps lasting lines: the cursor never goes up by more rows than
// the frame was drawn with. Where a window becomes narrower, some terminals break its rows in two,
// and others cut them: so a torn row of an old frame may stay, and nothing above it is touched.
type region struct{ rows []string }

// paint writes lasting lines in the place of the frame, and the new frame below them. Nothing is
// written where nothing changes.
func (r *region) paint(lines, frame []string, w Window) []byte {
	if w.Columns < leastColumns || w.Rows < leastRows {
		frame = nil
	}
	// rows that have left a lower window are out of reach
	up := max(0, min(len(r.rows), w.Rows-1))
	if len(lines) == 0 && slices.Equal(frame, r.rows) {
		return nil
	}
	var out bytes.Buffer
	out.WriteString(beginUpdate + "\r")
	rise(&out, up)
	if len(lines) > 0 || up > len(frame) {
		// A long lasting line takes as many rows as the terminal likes: only an empty place is safe
		// to write it in.
		for range up {
			out.WriteString(eraseRow + "\r\n")
		}
		out.WriteString(eraseRow)
		rise(&out, up)
	}
	for _, line := range lines {
		// to erase behind it would take the last character of one that fills its row
		out.WriteString(line + "\r\n")
	}
	for _, row := range frame {
		out.WriteString(row + eraseRow + "\r\n")
	}
	out.WriteString(eraseRow + endUpdate) // erase text that was typed
	r.rows = frame
	return out.Bytes()
}

// behind writes lasting lines as any job in the background does.
func (r *region) behind(lines []string) []byte {
	var out bytes.Buffer
	for _, line := range lines {
		out.WriteString(line + "\r\n")
	}
	return out.Bytes()
}

// The escape sequences for a terminal. Erasing goes row by row: where a frame reaches the top of
// the screen, some terminals take a screen that is cleared below the cursor for one that scrolls
// away, and keep a copy of it for every frame.
const (
	eraseRow    = "\x1b[K"
	beginUpdate = "\x1b[?2026h" // shown at once, where it is understood
	endUpdate   = "\x1b[?2026l"
)

// A smaller window has no frame.
const (
	leastColumns = 20
	leastRows    = 4
)

func rise(out *bytes.Buffer, rows int) {
	if rows > 0 {
		fmt.Fprintf(out, "\x1b[%dA", rows)
	}
}
