package render

import (
	"fmt"
	"strings"
)

// The widths of a box. Wider than the maximum, rows are hard to read; below the minimum a frame costs too much.
const (
	narrowest = 48
	widest    = 100
)

// span is clean text of one meaning.
type span struct {
	text string
	ink  ink
}

// box collects rows of clean text and draws them in a frame, or between rules where the screen is too narrow.
type box struct {
	style  Style
	glyph  glyphs
	frame  bool
	inner  int // cells between the margins
	margin int // blanks on either side
	rows   strings.Builder
}

func newBox(s Style) *box {
	b := &box{style: s, glyph: s.glyphs(), frame: s.width() >= narrowest}
	if b.frame {
		b.margin = 2
		b.inner = min(s.width(), widest) - 2 - 2*b.margin
		return b
	}
	b.inner = s.width()
	return b
}

// title opens the box.
func (b *box) title(text string, i ink) {
	text = b.style.show(text, b.inner)
	left := (b.inner - Width(text)) / 2
	b.edge(b.glyph.topLeft, b.glyph.topRight)
	b.row([]span{{strings.Repeat(" ", max(0, left)), plainInk}, {text, i}}, span{})
	b.edge(b.glyph.midLeft, b.glyph.midRight)
	b.blank()
}

// close ends the box and returns it.
func (b *box) close() string {
	b.blank()
	b.edge(b.glyph.bottomLeft, b.glyph.bottomRight)
	return b.rows.String()
}

func (b *box) edge(left, right string) {
	line := strings.Repeat(b.glyph.top, b.inner+2*b.margin)
	if b.frame {
		line = left + line + right
	}
	b.rows.WriteString(b.style.paint(faint, line) + "\n")
}

func (b *box) blank() { b.row(nil, span{}) }

// section starts a part of the box with its name between two thin rules.
func (b *box) section(name string, i ink) {
	thin := span{strings.Repeat(b.glyph.thin, b.inner), faint}
	b.row([]span{thin}, span{})
	b.row([]span{{b.style.show(name, b.inner), i}}, span{})
	b.row([]span{thin}, span{})
	b.blank()
}

// leader is a row with dots between a name and its status.
func (b *box) leader(name, status string, i ink) {
	name = b.style.show(name, max(1, b.inner-Width(status)-4))
	dots := b.inner - Width(name) - Width(status) - 2
	b.row([]span{{name, strong}, {" " + strings.Repeat(".", max(0, dots)), faint}}, span{status, i})
}

// field is "name: value" with the value's further rows below its first.
func (b *box) field(indent int, name, value string) { b.bounded(indent, name, value, 6) }

// bounded is field with a limit on its rows.
func (b *box) bounded(indent int, name, value string, limit int) {
	b.hang(indent, b.style.show(name, b.inner/2), value, limit)
}

// hang is bounded with a name that is clean, or all blanks.
func (b *box) hang(indent int, name, value string, limit int) {
	lead := strings.Repeat(" ", indent) + name + " "
	room := b.inner - Width(lead)
	below := b.inner - indent - 2
	clean := b.style.show(value, below*limit)
	if w := longestWord(clean); room < 16 || w > room && w <= below { // no room for a hanging indent, or a path would be broken
		room = below
		if name = strings.TrimRight(lead, " "); name != "" {
			b.row([]span{{name, plainInk}}, span{})
		}
		lead = strings.Repeat(" ", indent+2)
	}
	rows := wrap(clean, room)
	for i, text := range rows {
		if i == limit {
			break
		}
		if i > 0 {
			lead = strings.Repeat(" ", Width(lead))
		}
		if i == limit-1 && len(rows) > limit { // never cut without a sign
			text = wrap(text, room-1-Width(b.glyph.more))[0] + " " + b.glyph.more
		}
		b.row([]span{{lead + text, plainInk}}, span{})
	}
}

// longestWord is the width of the widest word of clean text.
func longestWord(text string) int {
	widest := 0
	for word := range strings.FieldsSeq(text) {
		widest = max(widest, Width(word))
	}
	return widest
}

// para is text of any length over several rows.
func (b *box) para(text string, i ink) {
	for _, row := range wrap(b.style.show(text, 40*b.inner), b.inner) {
		b.row([]span{{row, i}}, span{})
	}
}

// row draws one row: spans from the left, and one at the right edge. Where terminals may disagree on the width of what
// it holds, the right parts are put at their columns instead of being pushed there by blanks.
func (b *box) row(spans []span, right span) {
	var plain, shown strings.Builder
	for _, s := range spans {
		plain.WriteString(s.text)
		shown.WriteString(b.style.paint(s.ink, s.text))
	}
	text := plain.String()
	gap := b.inner - Width(text) - Width(right.text)
	place := b.frame && b.style.Cursor && doubtful(text+right.text)
	if !b.frame {
		b.bare(text, shown.String(), right, gap)
		return
	}
	side := b.style.paint(faint, b.glyph.side)
	b.rows.WriteString(side + strings.Repeat(" ", b.margin) + shown.String() + strings.Repeat(" ", max(0, gap)))
	if place {
		b.column(1 + b.margin + b.inner - Width(right.text) + 1)
	}
	b.rows.WriteString(b.style.paint(right.ink, right.text) + strings.Repeat(" ", b.margin))
	if place {
		b.column(2 + 2*b.margin + b.inner)
	}
	b.rows.WriteString(side + "\n")
}

// bare is a row without a frame.
func (b *box) bare(text, shown string, right span, gap int) {
	if right.text != "" {
		shown += strings.Repeat(" ", max(0, gap)) + b.style.paint(right.ink, right.text)
	} else if strings.TrimRight(text, " ") == "" {
		shown = ""
	}
	b.rows.WriteString(shown + "\n")
}

func (b *box) column(n int) { fmt.Fprintf(&b.rows, "\x1b[%dG", n) }
