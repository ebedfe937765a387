package term

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"autobuild/render"
	"autobuild/render/rendertest"
	"autobuild/state"
)

// terminal is a small one: it wraps, scrolls, and obeys what region asks of it. Some reflow their
// rows when the window becomes narrower or wider, others cut them or leave them as they are.
type terminal struct {
	cols, rows int
	reflow     bool
	pulls      bool      // a window that grows gets rows back from what has scrolled away
	lines      []gridRow // every line that was ever on it, those scrolled away first
	top        int       // of the window, in lines
	x, y       int       // of the cursor, y in lines
	pending    bool      // the next character wraps
}

// gridRow is a row with one character a cell; wide ones leave the next empty.
type gridRow struct {
	cells   []string
	wrapped bool // it goes on in the next row
}

func newTerminal(cols, rows int, reflow, pulls bool) *terminal {
	t := &terminal{cols: cols, rows: rows, reflow: reflow, pulls: pulls}
	t.fill()
	return t
}

// fill keeps as many rows as the window has.
func (t *terminal) fill() {
	for len(t.lines) < t.top+t.rows {
		t.lines = append(t.lines, gridRow{})
	}
}

func (t *terminal) Write(b []byte) (int, error) {
	for s := string(b); s != ""; {
		if s[0] == '\x1b' {
			s = t.escape(s)
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		switch r {
		case '\r':
			t.x, t.pending = 0, false
		case '\n':
			t.lines[t.y].wrapped = false
			t.down()
		default:
			t.put(s[:size], ansi.StringWidthWc(s[:size]))
		}
		s = s[size:]
	}
	return len(b), nil
}

// escape obeys one sequence, and panics at any that should not be there.
func (t *terminal) escape(s string) string {
	end := strings.IndexFunc(s[2:], func(r rune) bool { return r >= '@' && r <= '~' }) + 2
	switch body := s[2:end]; {
	case s[end] == 'm', body == "?2026":
	case s[end] == 'A':
		n, err := strconv.Atoi(body)
		if err != nil || n < 1 {
			panic("a bad rise: " + body)
		}
		t.y, t.pending = max(t.top, t.y-n), false
	case s[end] == 'K' && body == "":
		cells := t.lines[t.y].cells
		t.lines[t.y].cells, t.lines[t.y].wrapped, t.pending = cells[:min(t.x, len(cells))], false, false
	default:
		panic(fmt.Sprintf("nobody asked for %q", s[:end+1]))
	}
	return s[end+1:]
}

func (t *terminal) down() {
	t.pending = false
	if t.y++; t.y == t.top+t.rows {
		t.top++
	}
	t.fill()
}

func (t *terminal) put(c string, width int) {
	if width == 0 {
		return
	}
	if t.pending || t.x+width > t.cols {
		t.lines[t.y].wrapped = true
		t.down()
		t.x = 0
	}
	row := &t.lines[t.y]
	for len(row.cells) < t.x+width {
		row.cells = append(row.cells, " ")
	}
	row.cells[t.x] = c
	for i := 1; i < width; i++ {
		row.cells[t.x+i] = ""
	}
	t.x += width
	if t.x >= t.cols {
		t.x, t.pending = t.cols-1, true
	}
}

// resize simulates a person who resizes the window.
func (t *terminal) resize(cols, rows int) {
	last := len(t.lines) - 1
	for last > t.y && len(t.lines[last].cells) == 0 {
		last--
	}
	t.lines = t.lines[:last+1]
	switch {
	case cols != t.cols && t.reflow:
		t.rewrap(cols)
	case cols < t.cols:
		for i := t.top; i < len(t.lines); i++ { // cut-off text is gone
			row := &t.lines[i]
			row.cells, row.wrapped = row.cells[:min(cols, len(row.cells))], false
		}
	}
	t.cols, t.x, t.pending = cols, min(t.x, cols-1), false
	t.top = min(t.top, len(t.lines)-1)
	if t.pulls || t.y-t.top >= rows {
		t.top = max(0, min(t.y, len(t.lines)-1)-rows+1)
	}
	t.rows = rows
	t.lines = t.lines[:min(len(t.lines), t.top+rows)]
	t.fill()
}

// rewrap joins the rows that belong together, and breaks them anew.
func (t *terminal) rewrap(cols int) {
	var out []gridRow
	y := t.y
	for i := 0; i < len(t.lines); i++ {
		cells := slices.Clone(t.lines[i].cells)
		mine := i == t.y
		for t.lines[i].wrapped && i+1 < len(t.lines) {
			i++
			mine = mine || i == t.y
			cells = append(cells, t.lines[i].cells...)
		}
		for len(cells) > cols {
			n := cols
			if cells[n] == "" {
				n-- // a wide one does not fit
			}
			out = append(out, gridRow{slices.Clone(cells[:n]), true})
			cells = cells[n:]
		}
		if mine {
			y = len(out)
		}
		out = append(out, gridRow{cells, false})
	}
	t.lines, t.y = out, y
	t.top = max(0, min(t.top, y))
}

// text is everything, rows that belong together as one line.
func (t *terminal) text() string {
	var out strings.Builder
	for _, row := range t.lines {
		out.WriteString(strings.Join(row.cells, ""))
		if !row.wrapped {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// window is the visible part, without empty lines at its end.
func (t *terminal) window() []string {
	var rows []string
	for _, row := range t.lines[t.top:] {
		rows = append(rows, strings.TrimRight(strings.Join(row.cells, ""), " "))
	}
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// uttered is a lasting line as it was said.
type uttered struct {
	text string
	// loose says that it was written from the background after the user had resized the window or
	// typed: it begins at the cursor's place, so something may stand beside it, and its beginning
	// may be cut off with the end of its row.
	loose bool
}

// mark begins a line: a letter that nothing else on the screen has, so that no end of a row goes
// through it.
func mark(n int) string { return string(rune('А' + n)) } // Cyrillic

// TestNoLineIsLost: for all events and windows, every lasting line is on the terminal exactly once,
// in order. Unless the user resizes the window or types into it, below them is the frame and
// nothing else.
func TestNoLineIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tty := newTerminal(rapid.IntRange(12, 120).Draw(t, "columns"), rapid.IntRange(2, 30).Draw(t, "rows"),
			rapid.Bool().Draw(t, "reflows"), rapid.Bool().Draw(t, "pulls"))
		// a window that does not reflow has been made narrower: the ends of rows are gone
		cut := false
		l, now := &Screen{Style: render.Style{Bold: true}}, rendertest.Midnight
		var told []uttered
		seen, tidy, touched := Window{tty.cols, tty.rows, false}, true, false
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 1500).Draw(t, "ms")) * time.Millisecond)
			switch rapid.SampledFrom([]string{"line", "line", "rows", "rows", "resize", "late", "type", "behind", "stop", "paint"}).Draw(t, "step") {
			case "line":
				line := fmt.Sprintf("%s %s.", mark(len(told)), strings.Repeat(rapid.SampledFrom([]string{"", "word ", "品質", "x"}).Draw(t, "text"), rapid.IntRange(0, 40).Draw(t, "long")))
				told = append(told, uttered{line, touched && seen.Behind})
				l.Say(line)
			case "rows":
				l.scene = crowded(rapid.IntRange(0, 40).Draw(t, "phases"), now)
			case "resize":
				cols, rows := rapid.IntRange(12, 120).Draw(t, "columns"), rapid.IntRange(2, 30).Draw(t, "rows")
				cut = cut || !tty.reflow && cols < tty.cols
				tty.resize(cols, rows)
				seen, tidy, touched = Window{cols, rows, false}, false, true
			case "late": // the program still assumes the old window
				cols := rapid.IntRange(12, 120).Draw(t, "columns")
				cut = cut || !tty.reflow && cols < tty.cols
				tty.resize(cols, tty.rows)
				tidy, touched = false, true
			case "type":
				_, _ = tty.Write([]byte(rapid.SampledFrom([]string{"q", "ls -l", "\r\n"}).Draw(t, "keys")))
				tidy, touched = false, true
			case "behind":
				seen.Behind, tidy = !seen.Behind, false
			case "stop":
				_, _ = tty.Write(l.Clear(seen))
				l.Forget()
				_, _ = tty.Write([]byte("[1]+ Stopped\r\n$ fg\r\n"))
			}
			_, _ = tty.Write(l.Paint(seen, now))
			if tidy && !seen.Behind {
				checkFrame(t, tty, l, seen, now)
			}
			seen.Columns, seen.Rows = tty.cols, tty.rows
		}
		_, _ = tty.Write(l.Clear(seen))
		checkLines(t, tty, told, cut)
	})
}

// checkFrame holds what is visible against the frame.
func checkFrame(t *rapid.T, tty *terminal, l *Screen, w Window, now time.Time) {
	frame := l.scene.frame(render.Style{Width: w.Columns, Bold: true}, w.Rows, now)
	if w.Columns < leastColumns || w.Rows < leastRows {
		frame = nil
	}
	shown := tty.window()
	if len(frame) > len(shown) {
		t.Fatalf("%d rows of a frame, %d are visible", len(frame), len(shown))
	}
	for i, row := range shown[len(shown)-len(frame):] {
		if want := strings.TrimRight(ansi.Strip(frame[i]), " "); row != want {
			t.Fatalf("row %d of the frame is %q, want %q", i, row, want)
		}
	}
	if text := tty.text(); strings.Count(text, " done  ") > min(1, len(frame)) {
		t.Fatalf("a frame is left behind:\n%s", text)
	}
}

// checkLines looks for every lasting line.
func checkLines(t *rapid.T, tty *terminal, told []uttered, cut bool) {
	text := tty.text()
	if cut { // and rows that belonged together are rows of their own
		text = strings.ReplaceAll(text, "\n", "")
	}
	at := 0
	for i, said := range told {
		line := strings.TrimRight(said.text, " ")
		if cut {
			line = mark(i)
		}
		n := strings.Count(text, mark(i))
		if n == 0 && cut && said.loose {
			continue
		}
		if n != 1 {
			t.Fatalf("line %d is there %d times:\n%s", i, n, text)
		}
		k := strings.Index(text[at:], line)
		if k < 0 {
			t.Fatalf("line %d, %q, is torn or out of order:\n%s", i, line, text)
		}
		if rest, _, _ := strings.Cut(text[at+k+len(line):], "\n"); !cut && !said.loose && strings.TrimSpace(rest) != "" {
			t.Fatalf("behind line %d there is %q:\n%s", i, rest, text)
		}
		at += k + 1
	}
}

func crowded(n int, now time.Time) scene {
	s := scene{started: rendertest.Midnight, plan: "docs/plan.md", totals: state.Totals{Phases: n, Running: n}}
	for i := range n {
		s.rows = append(s.rows, busy{label: rendertest.Label(i), name: "Part 品質 " + rendertest.Label(i), started: rendertest.Midnight, heard: now, last: strings.Repeat("npm test 品質 ", i)})
	}
	return s
}

// A window that becomes too low for the frame has no blank rows in its history.
func TestLowerWindow(t *testing.T) {
	tty := newTerminal(80, 24, true, false)
	l := &Screen{scene: crowded(12, rendertest.Midnight)}
	_, _ = tty.Write(l.Paint(Window{Columns: 80, Rows: 24}, rendertest.Midnight))
	tty.resize(80, 5)
	l.Say("lasting")
	_, _ = tty.Write(l.Paint(Window{Columns: 80, Rows: 5}, rendertest.Midnight))
	if above, _, found := strings.Cut(tty.text(), "lasting"); !found || strings.Contains(above, "\n\n") {
		t.Errorf("there is\n%s", tty.text())
	}
	if got := len(tty.window()); got > 4 {
		t.Errorf("%d rows are used", got)
	}
}

// Nothing is written while nothing changes, and a window that is being dragged gets its frame when
// it rests.
func TestPaintOnlyChanges(t *testing.T) {
	l, w := &Screen{scene: crowded(3, rendertest.Midnight)}, Window{Columns: 80, Rows: 24}
	if len(l.Paint(w, rendertest.Midnight)) == 0 || len(l.Paint(w, rendertest.Midnight)) != 0 {
		t.Error("the first frame is written once")
	}
	if b := l.Paint(w, rendertest.Midnight.Add(time.Second)); len(b) == 0 || len(b) > 1000 {
		t.Errorf("a second later: %d bytes", len(b))
	}
	w.Columns = 70
	if b := l.Paint(w, rendertest.Midnight.Add(1100*time.Millisecond)); len(b) != 0 {
		t.Errorf("while it is dragged: %q", b)
	}
	l.Say("lasting")
	if b := string(l.Paint(w, rendertest.Midnight.Add(1200*time.Millisecond))); !strings.Contains(b, "lasting") || strings.Contains(b, "done") {
		t.Errorf("a line while it is dragged: %q", b)
	}
	if b := string(l.Paint(w, rendertest.Midnight.Add(2*time.Second))); !strings.Contains(b, "0/3 done") {
		t.Errorf("when it rests: %q", b)
	}
	l.Say("in the background")
	w.Behind = true
	if b := string(l.Paint(w, rendertest.Midnight.Add(3*time.Second))); b != "in the background\r\n" {
		t.Errorf("behind: %q", b)
	}
}
