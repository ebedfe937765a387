package term

import (
	"strings"

	"autobuild/internal/text"
	"autobuild/render"
)

// Help is the help text of a command, in parts.
type Help struct {
	Text     string   // paragraphs are filled; lines that begin with a blank stay as they are
	Usage    []string // ways to call it
	Examples []HelpRow
	Groups   []HelpGroup // commands, then flags
	Last     string      // where to read on
}

// HelpGroup is a heading with what belongs below it.
type HelpGroup struct {
	Title string
	Rows  []HelpRow
}

// HelpRow is a command, a flag or a call, and its effect.
type HelpRow struct{ Name, Text string }

// Bounds of a help screen, in cells.
const (
	helpWidth  = 100 // longer lines are hard to read
	helpName   = 26  // a longer name has a line of its own
	helpNarrow = 56  // below this, every text stands below its name
)

// Render lays help out for a terminal or a pipe. A call in an example is never broken, so that it
// can be pasted.
func (h Help) Render(s render.Style) string {
	p := helpPage{style: s, width: min(s.Columns(), helpWidth)}
	p.paragraphs(h.Text)
	p.heading("Usage")
	for _, u := range h.Usage {
		p.line("  " + u)
	}
	if len(h.Examples) > 0 {
		p.heading("Examples")
		p.examples(h.Examples)
	}
	for _, g := range h.Groups {
		p.heading(g.Title)
		p.rows(g.Rows)
	}
	if h.Last != "" {
		p.line("")
		p.paragraphs(h.Last)
	}
	return p.out.String()
}

type helpPage struct {
	out   strings.Builder
	style render.Style
	width int
}

func (p *helpPage) line(content string) {
	if p.style.ASCII {
		content = text.ASCII(content)
	}
	p.out.WriteString(strings.TrimRight(content, " ") + "\n")
}

func (p *helpPage) heading(title string) {
	p.line("")
	p.out.WriteString(paint(p.style, render.Strong, title+":") + "\n")
}

// paragraphs fills text, and keeps the lines that were laid out by hand.
func (p *helpPage) paragraphs(content string) {
	var open []string
	flush := func() {
		for _, row := range text.Wrap(strings.Join(open, " "), p.width) {
			if len(open) > 0 {
				p.line(row)
			}
		}
		open = nil
	}
	for l := range strings.SplitSeq(strings.TrimRight(content, "\n"), "\n") {
		if l != "" && !strings.HasPrefix(l, " ") {
			open = append(open, l)
			continue
		}
		flush()
		p.line(l)
	}
	flush()
}

// rows stand in two columns, their texts below each other.
func (p *helpPage) rows(rows []HelpRow) {
	name := 0
	for _, r := range rows {
		if w := text.Width(r.Name); w <= helpName {
			name = max(name, w)
		}
	}
	indent := 2 + name + 2
	if p.width < helpNarrow {
		indent = 6
	}
	for _, r := range rows {
		content := text.Wrap(r.Text, p.width-indent)
		if 2+text.Width(r.Name)+2 <= indent {
			p.line(text.Pad("  "+r.Name, indent) + content[0])
			content = content[1:]
		} else {
			p.line("  " + r.Name)
		}
		for _, t := range content {
			p.line(strings.Repeat(" ", indent) + t)
		}
	}
}

// examples have their comment behind the call where every one of them fits there, else below it.
func (p *helpPage) examples(rows []HelpRow) {
	call, beside := 0, true
	for _, r := range rows {
		if r.Text != "" {
			call = max(call, text.Width(r.Name))
		}
	}
	for _, r := range rows {
		beside = beside && (r.Text == "" || 2+call+3+text.Width(r.Text) <= p.width)
	}
	for _, r := range rows {
		switch {
		case r.Text == "":
			p.line("  " + r.Name)
		case beside:
			p.line("  " + text.Pad(r.Name, call) + "   " + r.Text)
		default:
			p.line("  " + r.Name)
			for _, t := range text.Wrap(r.Text, p.width-6) {
				p.line("      " + t)
			}
		}
	}
}
