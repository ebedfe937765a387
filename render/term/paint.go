package term

import (
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"

	"autobuild/render"
)

// paint gives text the look of its meaning. The text must be clean. Each line is painted by itself:
// lipgloss pads the lines of a block to one width.
func paint(s render.Style, i render.Ink, text string) string {
	if i == render.PlainInk || text == "" || !s.Bold && !s.Color {
		return text
	}
	look := lipgloss.NewStyle()
	switch i {
	case render.Strong:
		look = look.Bold(s.Bold)
	case render.Faint:
		look = look.Faint(s.Bold)
	case render.Good:
		look = tint(s, look, lipgloss.Green)
	case render.Bad:
		look = tint(s, look, lipgloss.Red).Bold(s.Bold)
	case render.Warn:
		look = tint(s, look, lipgloss.Yellow)
	case render.Live:
		look = tint(s, look, lipgloss.Cyan)
	case render.PlainInk:
	}
	lines := strings.Split(text, "\n")
	for n := range lines {
		lines[n] = look.Render(lines[n])
	}
	return strings.Join(lines, "\n")
}

// tint colours a look where colours may be used.
func tint(s render.Style, look lipgloss.Style, c color.Color) lipgloss.Style {
	if !s.Color {
		return look
	}
	return look.Foreground(c)
}
