package term

import (
	"strings"

	"autobuild/internal/text"
	"autobuild/render"
)

// Explain shows one phase as the user asks for it: the events, the evidence, the decision with its
// rule, similar earlier failures, and the next steps.
func Explain(e render.Explanation, s render.Style) string {
	return text.DisarmLines(drawSayings(render.ExplainLines(e, s), s))
}

// drawSayings writes an explanation for a screen.
func drawSayings(said []render.ExplainLine, s render.Style) string {
	d := sayer{style: s}
	for _, it := range said {
		d.draw(it)
	}
	return d.out.String()
}

// sayer collects the lines.
type sayer struct {
	style render.Style
	out   strings.Builder
}

func (d *sayer) draw(it render.ExplainLine) {
	switch it.Kind {
	case render.AsTitle:
		d.line(0, "", it.Text, render.Strong)
	case render.AsSentence:
		d.line(0, "", it.Text, render.PlainInk)
	case render.AsSection:
		d.out.WriteString("\n")
		d.line(0, "", it.Text, render.Strong)
	case render.AsFact:
		d.line(2, text.Pad(it.Name, 10), it.Text, render.PlainInk)
	case render.AsPath:
		d.path(it.Name, it.Text)
	case render.AsEvidence:
		d.line(12, "- ", it.Text, render.Faint)
	case render.AsExcerpt:
		d.line(12, "", it.Text, render.Faint)
	case render.AsRemark:
		d.line(2, "- ", it.Text, render.PlainInk)
	case render.AsStep:
		d.line(2, it.Name+". ", it.Text, render.PlainInk)
	case render.AsCommand:
		d.out.WriteString("     " + it.Text + "\n")
	}
}

// line writes text behind a lead of our own, its further rows below its first.
func (d *sayer) line(indent int, lead, content string, i render.Ink) {
	lead = strings.Repeat(" ", indent) + lead
	room := d.style.Columns() - text.Width(lead)
	if room < 16 && lead != "" { // too narrow for a hanging indent
		d.out.WriteString(strings.TrimRight(lead, " ") + "\n")
		lead, room = "    ", d.style.Columns()-4
	}
	for _, row := range text.Wrap(d.style.Show(content, 2000), room) {
		d.out.WriteString(strings.TrimRight(lead+paint(d.style, i, row), " ") + "\n")
		lead = strings.Repeat(" ", text.Width(lead))
	}
}

// path writes a fact that can be pasted: where it does not fit it stands on a line of its own,
// whole.
func (d *sayer) path(name, path string) {
	path = d.style.Show(path, 2000)
	if 12+text.Width(path) > d.style.Columns() {
		d.out.WriteString("  " + name + "\n  " + path + "\n")
		return
	}
	if path != "" {
		d.line(2, text.Pad(name, 10), path, render.PlainInk)
	}
}
