package render

import (
	"strconv"
	"strings"
)

// Mend is one thing that is wrong with a stored run, and what a repair does about it.
type Mend struct {
	Path  string // as it is typed from here
	Line  int    // from 1; 0 when no line is meant
	Col   int
	Label string // of the phase; may be empty
	Cause string
	Do    string // "restore", "adopt", "again", "set aside", "trim", "leave"
	Why   string
	Next  string // leave: what a person can do
}

// Repair is what an examination found, and what was or would be done about it.
type Repair struct {
	Mends  []Mend
	Done   bool   // it was done
	Backup string // where what was there is kept
	Files  int    // that were read
	Next   []string
}

// Mended shows the findings one below the other, each with what is wrong, what is done about it and why.
func Mended(r Repair, s Style) string {
	var out strings.Builder
	left := 0
	for _, m := range r.Mends {
		s.mend(&out, m, r.Done)
		if m.Do == "leave" {
			left++
		}
	}
	can := len(r.Mends) - left
	var verdict string
	switch {
	case len(r.Mends) == 0:
		verdict = "nothing to repair: " + count(r.Files, "file") + " read, and each says what can be"
	case can == 0:
		verdict = "nothing to mend"
	case r.Done:
		verdict = count(can, "thing") + " mended"
	default:
		verdict = count(can, "thing") + " can be mended; nothing has been changed"
	}
	if left > 0 {
		verdict += ", " + strconv.Itoa(left) + " left as it is"
	}
	i := good
	if left > 0 || len(r.Mends) > 0 && !r.Done {
		i = warn
	}
	if len(r.Mends) > 0 {
		out.WriteString("\n")
	}
	for _, line := range wrap(verdict, s.width()) {
		out.WriteString(s.paint(i, line) + "\n")
	}
	if r.Backup != "" {
		out.WriteString("what was there is kept in " + s.show(r.Backup, 300) + "\n")
	}
	for _, next := range r.Next {
		out.WriteString(s.paint(faint, s.glyphs().arrow) + " " + s.show(next, 600) + "\n")
	}
	return screen(out.String())
}

func (s Style) mend(out *strings.Builder, m Mend, done bool) {
	place := m.Path
	if m.Line > 0 {
		place += ":" + strconv.Itoa(m.Line) + ":" + strconv.Itoa(m.Col)
	}
	out.WriteString(s.paint(strong, s.show(place, 600)) + "\n") // never broken into lines: it is there to be opened
	remedy, i := remedies(m, done), good
	if m.Do == "leave" {
		i = warn
	}
	s.indented(out, plainInk, m.Cause)
	s.indented(out, i, remedy+": "+m.Why)
	if m.Next != "" {
		s.indented(out, plainInk, m.Next)
	}
}

// indented writes text below its place.
func (s Style) indented(out *strings.Builder, i ink, text string) {
	for _, line := range wrap(s.show(text, 600), s.width()-4) {
		out.WriteString("    " + s.paint(i, line) + "\n")
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
		would, was = "set "+phase+" to pending, so that it runs again", phase+" is pending now, and runs again"
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
