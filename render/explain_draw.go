package render

import "strings"

// saying is one thing that an explanation says. A screen draws it one way, a page another.
type saying struct {
	as   manner
	name string // of a fact; the number of a step
	text string // foreign, but for asCommand, which is quoted for a shell and must stay whole
}

// manner is how something is said.
type manner int

// The manners.
const (
	asTitle manner = iota
	asSentence
	asSection
	asFact
	asPath     // a fact that can be pasted
	asEvidence // a reason for the fact before
	asExcerpt  // a row of a log
	asRemark   // something to know
	asFile     // a path alone
	asQuote    // a row of that file
	asStep     // something to do
	asCommand  // … and what to type for it
)

// drawSayings writes an explanation for a screen.
func drawSayings(said []saying, s Style) string {
	d := sayer{style: s}
	for _, it := range said {
		d.draw(it)
	}
	return d.out.String()
}

// sayer collects the lines.
type sayer struct {
	style Style
	out   strings.Builder
}

func (d *sayer) draw(it saying) {
	switch it.as {
	case asTitle:
		d.line(0, "", it.text, strong)
	case asSentence:
		d.line(0, "", it.text, plainInk)
	case asSection:
		d.out.WriteString("\n")
		d.line(0, "", it.text, strong)
	case asFact:
		d.line(2, pad(it.name, 10), it.text, plainInk)
	case asPath:
		d.path(it.name, it.text)
	case asEvidence:
		d.line(12, "- ", it.text, faint)
	case asExcerpt:
		d.line(12, "", it.text, faint)
	case asRemark:
		d.line(2, "- ", it.text, plainInk)
	case asFile:
		d.out.WriteString("  " + d.style.show(it.text, 2000) + "\n")
	case asQuote:
		d.line(2, "", it.text, faint)
	case asStep:
		d.line(2, it.name+". ", it.text, plainInk)
	case asCommand:
		d.out.WriteString("     " + it.text + "\n")
	}
}

// line writes text behind a lead of our own, its further rows below its first.
func (d *sayer) line(indent int, lead, text string, i ink) {
	lead = strings.Repeat(" ", indent) + lead
	room := d.style.width() - Width(lead)
	if room < 16 && lead != "" { // too narrow for a hanging indent
		d.out.WriteString(strings.TrimRight(lead, " ") + "\n")
		lead, room = "    ", d.style.width()-4
	}
	for _, row := range wrap(d.style.show(text, 2000), room) {
		d.out.WriteString(strings.TrimRight(lead+d.style.paint(i, row), " ") + "\n")
		lead = strings.Repeat(" ", Width(lead))
	}
}

// path writes a fact that can be pasted: where it does not fit it stands on a line of its own, whole.
func (d *sayer) path(name, path string) {
	path = d.style.show(path, 2000)
	if 12+Width(path) > d.style.width() {
		d.out.WriteString("  " + name + "\n  " + path + "\n")
		return
	}
	if path != "" {
		d.line(2, pad(name, 10), path, plainInk)
	}
}
