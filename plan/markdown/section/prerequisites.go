package section

import (
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
)

// prerequisites reads the prerequisites of a section: code spans and "$NAME" at the start of a list
// item, or in a list of nothing else behind the label. A sentence that mentions a tool states none.
func (u *Unit) prerequisites(d *document.Document) {
	for _, l := range d.LabelsIn(u.From, u.WholeEnd(d)) {
		if !plan.IsWord("prerequisites only", l.Name) || l.Item >= 0 &&
			d.InTask(l.Item, u.Own-1) {
			continue
		}
		if l.Value != "" {
			u.readPrerequisite(l.Value)
			continue
		}
		for _, raw := range listBelow(d, l) {
			u.readPrerequisite(raw)
		}
	}
	for _, h := range d.HeadingsIn(u.From+1, u.To) {
		if plan.IsWord("prerequisites only", inline.Words(h.Text)) {
			u.PrerequisitesIn(d, h.Line+1, min(h.End, u.To))
		}
	}
}

// PrerequisitesIn adds the prerequisites in the list items of the lines [from, to).
func (u *Unit) PrerequisitesIn(d *document.Document, from, to int) {
	for _, it := range d.ItemsIn(from, to) {
		u.readPrerequisite(it.Raw)
	}
}

// listBelow is the items of the list that follows a label without a value.
func listBelow(d *document.Document, l document.Label) []string {
	var raws []string
	previous := l.Line
	for _, it := range d.ItemsIn(l.Line+1, d.Count()+1) {
		if it.Line > previous+2 {
			break
		}
		previous = it.End - 1
		raws = append(raws, it.Raw)
	}
	return raws
}

// readPrerequisite reads one entry: names at its start, joined by commas or "and", and then nothing
// but a remark.
func (u *Unit) readPrerequisite(raw string) {
	p := &u.Prerequisites
	for rest := strings.TrimSpace(raw); rest != ""; {
		name, after := leadingName(rest)
		if name == "" {
			return
		}
		after = strings.TrimSpace(after)
		joined := strings.TrimLeft(strings.TrimPrefix(strings.TrimLeft(after, ",;+& "), "and "),
			" ")
		goesOn := after != joined && joined != ""
		switch variable := variableName(name); {
		case variable != "":
			p.Variables = AddPrerequisite(p.Variables, variable)
		case PathLike(name) && (strings.Contains(name, "/") || strings.HasPrefix(name, ".")) &&
			(goesOn || remark(after)):
			p.Files = AddPrerequisite(p.Files, CleanPath(name))
		case goesOn || remark(after):
			if program, _, _ := strings.Cut(name, " "); programLike(program) {
				p.Commands = AddPrerequisite(p.Commands, program)
			}
		}
		if !goesOn {
			return
		}
		rest = joined
	}
}

// leadingName is the code span or the "$NAME" that a text begins with.
func leadingName(s string) (name, rest string) {
	if s[0] == '`' {
		size := inline.CodeSpanSize(s)
		return strings.TrimSpace(strings.Trim(s[:size], "`")), s[size:]
	}
	if s[0] != '$' {
		return "", s
	}
	end := strings.IndexFunc(s, func(r rune) bool { return r == ' ' || r == ',' || r == ';' })
	if end < 0 {
		end = len(s)
	}
	return s[:end], s[end:]
}

// variableName is the name in "$NAME", "${NAME}" or "LONG_NAME"; "" is no variable.
func variableName(s string) string {
	name, dollar := strings.CutPrefix(s, "$")
	name = strings.TrimSuffix(strings.TrimPrefix(name, "{"), "}")
	name, _, _ = strings.Cut(name, "=")
	if name == "" || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" ||
		name[0] >= '0' && name[0] <= '9' {
		return ""
	}
	if !dollar && !strings.Contains(name, "_") {
		return ""
	}
	return name
}

// programLike reports whether a word can be the name of a program.
func programLike(s string) bool {
	return len(s) >= 2 && len(s) <= 30 && s[0] >= 'a' && s[0] <= 'z' &&
		strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-+") == ""
}

// remarkWords begin a remark that says no more than that a thing is required.
var remarkWords = []string{
	"installed", "on", "in", "available", "is", "must", "version", "v", "cli", "exists", "present",
	"running", "or", "set",
	"command", "binary",
}

// remark reports whether the text behind a name only says that it is required, and which version.
func remark(s string) bool {
	s = strings.TrimSpace(s)
	if s == "" || strings.ContainsRune(".,;(>=<0123456789:≥—–", inline.FirstRune(s)) ||
		strings.HasPrefix(s, "- ") {
		return true
	}
	first, _, _ := strings.Cut(inline.Words(s), " ")
	return slices.Contains(remarkWords, first)
}

// AddPrerequisite appends a name that the list does not have, up to maxFiles names.
func AddPrerequisite(list []string, s string) []string {
	if len(list) >= maxFiles || slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
