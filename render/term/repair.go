package term

import (
	"strconv"
	"strings"

	"autobuild/internal/text"
	"autobuild/render"
)

// Mend is one problem of a stored run, and its remedy.
type Mend struct {
	Path  string // as it is typed from here
	Line  int    // from 1; 0 when no line is meant
	Col   int
	Label string // of the phase; may be empty
	Cause string
	Do    string // "restore", "adopt", "again", "set aside", "trim", "leave"
	Why   string
	Next  string // leave: the user's remedy
}

// Repair is the result of an examination, with the remedies that were or would be applied.
type Repair struct {
	Mends  []Mend
	Done   bool   // it was done
	Backup string // where the replaced files are kept
	Files  int    // that were read
	Next   []string
}

// Mended shows the findings one below the other, each with its problem, its remedy and the reason.
func Mended(r Repair, s render.Style) string {
	var out strings.Builder
	left := 0
	for _, m := range r.Mends {
		writeMend(s, &out, m, r.Done)
		if m.Do == "leave" {
			left++
		}
	}
	can := len(r.Mends) - left
	var verdict string
	switch {
	case len(r.Mends) == 0:
		verdict = "nothing to repair: " + text.Count(r.Files, "file") +
			" read, and each says what can be"
	case can == 0:
		verdict = "nothing to mend"
	case r.Done:
		verdict = text.Count(can, "thing") + " mended"
	default:
		verdict = text.Count(can, "thing") + " can be mended; nothing has been changed"
	}
	if left > 0 {
		verdict += ", " + strconv.Itoa(left) + " left as it is"
	}
	i := render.Good
	if left > 0 || len(r.Mends) > 0 && !r.Done {
		i = render.Warn
	}
	if len(r.Mends) > 0 {
		out.WriteString("\n")
	}
	for _, line := range text.Wrap(verdict, s.Columns()) {
		out.WriteString(paint(s, i, line) + "\n")
	}
	if r.Backup != "" {
		out.WriteString("what was there is kept in " + s.Show(r.Backup, 300) + "\n")
	}
	for _, next := range r.Next {
		out.WriteString(paint(s, render.Faint, s.Marks().Arrow) + " " + s.Show(next, 600) + "\n")
	}
	return text.DisarmLines(out.String())
}

func writeMend(s render.Style, out *strings.Builder, m Mend, done bool) {
	place := m.Path
	if m.Line > 0 {
		place += ":" + strconv.Itoa(m.Line) + ":" + strconv.Itoa(m.Col)
	}
	// never broken into lines: it is there to be opened
	out.WriteString(paint(s, render.Strong, s.Show(place, 600)) + "\n")
	remedy, i := remedies(m, done), render.Good
	if m.Do == "leave" {
		i = render.Warn
	}
	indented(s, out, render.PlainInk, m.Cause)
	indented(s, out, i, remedy+": "+m.Why)
	if m.Next != "" {
		indented(s, out, render.PlainInk, m.Next)
	}
}

// indented writes text below its place.
func indented(s render.Style, out *strings.Builder, i render.Ink, content string) {
	for _, line := range text.Wrap(s.Show(content, 600), s.Columns()-4) {
		out.WriteString("    " + paint(s, i, line) + "\n")
	}
}

// remedies words what is done, before and after.
func remedies(m Mend, done bool) string {
	phase := "the phase"
	if m.Label != "" {
		phase = "phase " + m.Label
	}
	would, was := "left as it is", "left as it is"
	switch m.Do {
	case "restore":
		would, was = "write the file anew", "written anew"
	case "adopt":
		would, was = "count "+phase+" as complete", phase+" counts as complete"
	case "again":
		would, was = "set "+phase+" to pending, so that it runs again",
			phase+" is pending now, and runs again"
	case "set aside":
		would, was = "move the file into the backup", "moved into the backup"
	case "trim":
		would, was = "move what is no event into the backup", "what was no event is in the backup"
	}
	if done {
		return was
	}
	return would
}
