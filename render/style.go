package render

import (
	"image/color"
	"strconv"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
)

// Style is what the place that is written to can show. The zero Style is 80 columns of Unicode without escapes,
// which suits a pipe.
type Style struct {
	Width  int  // columns; 0 means 80. Boxes are 48 to 100 wide, and below 48 columns they lose their frame
	Color  bool // colours may be used
	Bold   bool // bold and faint may be used
	Cursor bool // a terminal that obeys cursor columns, so that edges line up whatever it thinks of a character's width
	ASCII  bool // nothing but ASCII may be written
	Wrap   bool // a person's window: sentences are broken at words, since a window breaks them anywhere

	Zone *time.Location // of the times that a person waits for; nil is UTC
}

// Terminal is what is known about the place that is written to.
type Terminal struct {
	TTY     bool
	Columns int                 // of its window; 0 is unknown
	NoColor bool                // the user asked for none by a flag
	Legacy  bool                // a console that prints escape sequences instead of obeying them
	Getenv  func(string) string // nil is an empty environment
}

// StyleFor chooses the Style for a terminal or pipe. NO_COLOR with any value keeps bold and faint, as does the flag;
// FORCE_COLOR and CLICOLOR_FORCE colour a pipe too; a dumb terminal, a legacy console and a locale that names
// another charset than UTF-8 get ASCII; a pipe has 80 columns or $COLUMNS.
func StyleFor(t Terminal) Style {
	env := t.Getenv
	if env == nil {
		env = func(string) string { return "" }
	}
	dumb := t.Legacy || env("TERM") == "dumb"
	escapes := t.TTY && !dumb
	colour := escapes && env("CLICOLOR") != "0"
	if forced(env("FORCE_COLOR")) || forced(env("CLICOLOR_FORCE")) {
		escapes, colour = true, true
	}
	return Style{
		Width:  columns(t, env("COLUMNS")),
		Color:  colour && !t.NoColor && env("NO_COLOR") == "",
		Bold:   escapes,
		Cursor: t.TTY && !dumb,
		Wrap:   t.TTY,
		ASCII:  dumb || !utf8Locale(env),
	}
}

func forced(value string) bool { return value != "" && value != "0" && value != "false" }

func columns(t Terminal, env string) int {
	if t.TTY && t.Columns > 0 {
		return t.Columns
	}
	if n, err := strconv.Atoi(env); err == nil && n > 0 {
		return n
	}
	return 80
}

// utf8Locale believes the first variable that is set, as the C library does. Where none is, the terminal is taken
// for a modern one: containers and graphical sessions often set nothing.
func utf8Locale(env func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := strings.ToLower(env(name)); value != "" {
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return true
}

// ink is the meaning of a piece of text; Style decides what it looks like.
type ink int

const (
	plainInk ink = iota
	strong       // headings and names
	faint        // frames and asides
	good
	bad
	warn
	live // what runs now
)

// paint gives text the look of its meaning. The text must be clean.
func (s Style) paint(i ink, text string) string {
	if i == plainInk || text == "" || !s.Bold && !s.Color {
		return text
	}
	look := lipgloss.NewStyle()
	switch i {
	case strong:
		look = look.Bold(s.Bold)
	case faint:
		look = look.Faint(s.Bold)
	case good:
		look = s.tint(look, lipgloss.Green)
	case bad:
		look = s.tint(look, lipgloss.Red).Bold(s.Bold)
	case warn:
		look = s.tint(look, lipgloss.Yellow)
	case live:
		look = s.tint(look, lipgloss.Cyan)
	case plainInk:
	}
	return look.Render(text)
}

// width is the usable number of columns.
func (s Style) width() int {
	if s.Width <= 0 {
		return 80
	}
	return max(s.Width, 20)
}

// glyphs are the characters of our own that have an ASCII stand-in.
type glyphs struct {
	top, side, thin          string
	topLeft, topRight        string
	midLeft, midRight        string
	bottomLeft, bottomRight  string
	arrow, more, dash, joint string
	done, failed, running    string
	waiting, pending, dot    string
	blocked, skipped, warned string
}

func (s Style) glyphs() glyphs {
	if s.ASCII {
		b := lipgloss.ASCIIBorder()
		return glyphs{
			top: "=", side: b.Left, thin: b.Top,
			topLeft: b.TopLeft, topRight: b.TopRight, midLeft: b.MiddleLeft, midRight: b.MiddleRight,
			bottomLeft: b.BottomLeft, bottomRight: b.BottomRight,
			arrow: "->", more: "~", dash: "-", joint: "+",
			done: "+", failed: "x", running: ">", waiting: "w", pending: ".", dot: ".", blocked: "#", skipped: "-", warned: "!",
		}
	}
	b := lipgloss.DoubleBorder()
	return glyphs{
		top: b.Top, side: b.Left, thin: lipgloss.NormalBorder().Top,
		topLeft: b.TopLeft, topRight: b.TopRight, midLeft: b.MiddleLeft, midRight: b.MiddleRight,
		bottomLeft: b.BottomLeft, bottomRight: b.BottomRight,
		arrow: "→", more: "…", dash: "–", joint: "┼",
		done: "✓", failed: "✗", running: "▸", waiting: "◷", pending: "·", dot: "·", blocked: "■", skipped: "-", warned: "!",
	}
}

// tint colours a look where colours may be used.
func (s Style) tint(look lipgloss.Style, c color.Color) lipgloss.Style {
	if !s.Color {
		return look
	}
	return look.Foreground(c)
}
