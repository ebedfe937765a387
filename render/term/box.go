package term

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"autobuild/internal/text"
	"autobuild/render"
)

// The widths of a box. Wider than the maximum, rows are hard to read; below the minimum a frame
// costs too much.
const (
	narrowest = 48
	widest    = 100
)

// span is clean text of one meaning.
type span struct {
	text string
	ink  render.Ink
}

// box collects rows of clean text and draws them in a frame, or between rules where the screen is
// too narrow.
type box struct {
	style  render.Style
	glyph  render.Marks
	lines  frame
	frame  bool
	inner  int // cells between the margins
	margin int // blanks on either side
	rows   strings.Builder
}

// frame are the characters of which a box is drawn.
type frame struct {
	top, side, thin         string
	topLeft, topRight       string
	midLeft, midRight       string
	bottomLeft, bottomRight string
}

func frameOf(s render.Style) frame {
	b, thin := lipgloss.DoubleBorder(), lipgloss.NormalBorder().Top
	if s.ASCII {
		b = lipgloss.ASCIIBorder()
		b.Top, thin = "=", b.Top
	}
	return frame{
		top: b.Top, side: b.Left, thin: thin,
		topLeft: b.TopLeft, topRight: b.TopRight, midLeft: b.MiddleLeft, midRight: b.MiddleRight,
		bottomLeft: b.BottomLeft, bottomRight: b.BottomRight,
	}
}

func newBox(s render.Style) *box {
	b := &box{style: s, glyph: s.Marks(), lines: frameOf(s), frame: s.Columns() >= narrowest}
	if b.frame {
		b.margin = 2
		b.inner = min(s.Columns(), widest) - 2 - 2*b.margin
		return b
	}
	b.inner = s.Columns()
	return b
}

// title opens the box.
func (b *box) title(content string, i render.Ink) {
	content = b.style.Show(content, b.inner)
	left := (b.inner - text.Width(content)) / 2
	b.edge(b.lines.topLeft, b.lines.topRight)
	b.row([]span{{strings.Repeat(" ", max(0, left)), render.PlainInk}, {content, i}}, span{})
	b.edge(b.lines.midLeft, b.lines.midRight)
	b.blank()
}

// close ends the box and returns it.
func (b *box) close() string {
	b.blank()
	b.edge(b.lines.bottomLeft, b.lines.bottomRight)
	return b.rows.String()
}

func (b *box) edge(left, right string) {
	line := strings.Repeat(b.lines.top, b.inner+2*b.margin)
	if b.frame {
		line = left + line + right
	}
	b.rows.WriteString(paint(b.style, render.Faint, line) + "\n")
}

func (b *box) blank() { b.row(nil, span{}) }

// section starts a part of the box with its name between two thin rules.
func (b *box) section(name string, i render.Ink) {
	thin := span{strings.Repeat(b.lines.thin, b.inner), render.Faint}
	b.row([]span{thin}, span{})
	b.row([]span{{b.style.Show(name, b.inner), i}}, span{})
	b.row([]span{thin}, span{})
	b.blank()
}

// leader is a row with dots between a name and its status.
func (b *box) leader(name, status string, i render.Ink) {
	name = b.style.Show(name, max(1, b.inner-text.Width(status)-4))
	dots := b.inner - text.Width(name) - text.Width(status) - 2
	b.row([]span{{name, render.Strong}, {" " + strings.Repeat(".", max(0, dots)), render.Faint}},
		span{status, i})
}

// field is "name: value" with the value's further rows below its first.
func (b *box) field(indent int, name, value string) { b.bounded(indent, name, value, 6) }

// bounded is field with a limit on its rows.
func (b *box) bounded(indent int, name, value string, limit int) {
	b.hang(indent, b.style.Show(name, b.inner/2), value, limit)
}

// hang is bounded with a name that is clean, or all blanks.
func (b *box) hang(indent int, name, value string, limit int) {
	lead := strings.Repeat(" ", indent) + name + " "
	room := b.inner - text.Width(lead)
	below := b.inner - indent - 2
	clean := b.style.Show(value, below*limit)
	// no room for a hanging indent, or a path would be broken
	if w := longestWord(clean); room < 16 || w > room && w <= below {
		room = below
		if name = strings.TrimRight(lead, " "); name != "" {
			b.row([]span{{name, render.PlainInk}}, span{})
		}
		lead = strings.Repeat(" ", indent+2)
	}
	rows := text.Wrap(clean, room)
	for i, content := range rows {
		if i == limit {
			break
		}
		if i > 0 {
			lead = strings.Repeat(" ", text.Width(lead))
		}
		if i == limit-1 && len(rows) > limit { // never cut without a sign
			content = text.Wrap(content, room-1-text.Width(b.glyph.More))[0] + " " + b.glyph.More
		}
		b.row([]span{{lead + content, render.PlainInk}}, span{})
	}
}

// longestWord is the width of the widest word of clean text.
func longestWord(content string) int {
	widest := 0
	for word := range strings.FieldsSeq(content) {
		widest = max(widest, text.Width(word))
	}
	return widest
}

// para is text of any length over several rows.
func (b *box) para(content string, i render.Ink) {
	for _, row := range text.Wrap(b.style.Show(content, 40*b.inner), b.inner) {
		b.row([]span{{row, i}}, span{})
	}
}

// row draws one row: spans from the left, and one at the right edge. Where terminals may disagree
// on the width of its text, the right parts are put at their columns instead of being pushed there
// by blanks.
func (b *box) row(spans []span, right span) {
	var plain, shown strings.Builder
	for _, s := range spans {
		plain.WriteString(s.text)
		shown.WriteString(paint(b.style, s.ink, s.text))
	}
	content := plain.String()
	gap := b.inner - text.Width(content) - text.Width(right.text)
	place := b.frame && b.style.Cursor && text.Ambiguous(content+right.text)
	if !b.frame {
		b.bare(content, shown.String(), right, gap)
		return
	}
	side := paint(b.style, render.Faint, b.lines.side)
	b.rows.WriteString(side + strings.Repeat(" ", b.margin) + shown.String() + strings.Repeat(" ",
		max(0, gap)))
	if place {
		b.column(1 + b.margin + b.inner - text.Width(right.text) + 1)
	}
	b.rows.WriteString(paint(b.style, right.ink, right.text) + strings.Repeat(" ", b.margin))
	if place {
		b.column(2 + 2*b.margin + b.inner)
	}
	b.rows.WriteString(side + "\n")
}

// bare is a row without a frame.
func (b *box) bare(text, shown string, right span, gap int) {
	if right.text != "" {
		shown += strings.Repeat(" ", max(0, gap)) + paint(b.style, right.ink, right.text)
	} else if strings.TrimRight(text, " ") == "" {
		shown = ""
	}
	b.rows.WriteString(shown + "\n")
}

func (b *box) column(n int) { fmt.Fprintf(&b.rows, "\x1b[%dG", n) }
