package dialect

import (
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// gsd is one plan of a GSD milestone: a file that is a single phase, "04-08", and names others like
// it.
type gsd struct{}

func (gsd) name() string { return "gsd" }

func (gsd) signs(d *document.Document) bool {
	phase, ok := document.TopEntry(d.Front, "phase")
	number, also := document.TopEntry(d.Front, "plan")
	return ok && also && padded(phase.Value) != "" && padded(number.Value) != ""
}

// prior is high: the front matter says what the document is.
func (gsd) prior(*document.Document) int { return 200 }

func (gsd) read(r *reading.Reading) {
	d := r.Doc
	phase, _ := document.TopEntry(d.Front, "phase")
	number, _ := document.TopEntry(d.Front, "plan")
	if padded(phase.Value) == "" || padded(number.Value) == "" {
		return
	}
	u := section.Unit{From: d.FrontEnd + 1, To: d.Count() + 1, Level: 1}
	u.Label = padded(phase.Value) + "-" + padded(number.Value)
	u.Pos = plan.Pos{Line: phase.Line, Col: 1}
	u.Width = len(d.Line(phase.Line))
	for _, h := range d.Headings {
		if h.Level == 1 {
			u.Name, u.Pos, u.Width, u.Raw, u.Offset = afterColon(h.Text), d.Pos(h.Offset),
				len(h.Raw), h.Raw, h.Offset
			break
		}
	}
	if e, ok := document.TopEntry(d.Front, "name"); ok {
		u.Name = e.Value
	}
	if deps, line, ok := document.EntryList(d.Front, "depends_on"); ok {
		text := strings.Join(deps, ", ")
		if text == "" {
			text = "none"
		}
		u.Needs = []plan.Ref{{Text: text, Pos: plan.Pos{Line: line, Col: 1}}}
	}
	files, _, _ := document.EntryList(d.Front, "files_modified")
	for _, f := range files {
		if f = section.CleanPath(f); section.PathLike(f) {
			u.Files = section.WithFile(u.Files, "touch", f)
		}
	}
	u.ReadXMLTasks(d)
	r.Units = append(r.Units, u)
	r.HeadingTasks = true
	r.Elsewhere = planNumber
}

// padded is the number that a value begins with, as two digits at least: "4" is "04", "04-core" is
// "04".
func padded(value string) string {
	end := 0
	for end < len(value) && (value[end] >= '0' && value[end] <= '9' || value[end] == '.' &&
		end > 0) {
		end++
	}
	digits := strings.TrimSuffix(value[:end], ".")
	if whole, _, _ := strings.Cut(digits, "."); len(whole) == 1 {
		digits = "0" + digits
	}
	return digits
}

// planNumber recognises the plans of the other files: "04-01".
func planNumber(label string) (string, bool) {
	id := strings.TrimSuffix(strings.TrimSpace(label), "-PLAN.md")
	phase, number, found := strings.Cut(id, "-")
	ok := found && phase != "" && number != "" && padded(phase) != "" && words.IsNumeric(phase) &&
		words.IsNumeric(number)
	return id, ok
}

func afterColon(s string) string {
	if _, after, found := strings.Cut(s, ":"); found {
		return strings.TrimSpace(after)
	}
	return s
}
