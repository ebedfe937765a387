package section

import (
	"slices"
	"strings"

	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/words"
)

// prerequisites reads what a section says it needs to find: only code spans and "$NAME" at the
// start of a list item, or in a list of nothing else behind the label. A sentence that mentions a
// tool states nothing.
func (u *Unit) prerequisites(d *document.Document) {
	for _, l := range d.LabelsIn(u.From, u.IntroEnd(d)) {
		if !slices.Contains(words.PrerequisiteNames, l.Name) || l.Item >= 0 && d.InTask(l.Item, u.Own-1) {
			continue
		}
		if l.Value != "" {
			u.needed(d, l.Value)
			continue
		}
		for _, raw := range listBelow(d, l) {
			u.needed(d, raw)
		}
	}
	for _, h := range d.HeadsIn(u.From+1, u.To) {
		if slices.Contains(words.PrerequisiteNames, inline.Words(h.Text)) {
			u.NeededIn(d, h.Line+1, min(h.End, u.To))
		}
	}
}

func (u *Unit) NeededIn(d *document.Document, from, to int) {
	for _, it := range d.ItemsIn(from, to) {
		u.needed(d, it.Raw)
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

// needed reads one statement: names at its start, joined by commas or "and", and then nothing but a
// remark.
func (u *Unit) needed(d *document.Document, raw string) {
	p := &u.Prerequisites
	for rest := strings.TrimSpace(raw); rest != ""; {
		name, after := leadingName(rest)
		if name == "" {
			return
		}
		after = strings.TrimSpace(after)
		joined := strings.TrimLeft(strings.TrimPrefix(strings.TrimLeft(after, ",;+& "), "and "), " ")
		goesOn := after != joined && joined != ""
		switch variable := variableName(name); {
		case variable != "":
			p.Variables = AppendNew(p.Variables, variable)
		case PathLike(name) && (strings.Contains(name, "/") || strings.HasPrefix(name, ".")) && (goesOn || remark(after)):
			p.Files = AppendNew(p.Files, CleanPath(name))
		case goesOn || remark(after):
			if program, _, _ := strings.Cut(name, " "); programLike(program) {
				p.Commands = AppendNew(p.Commands, program)
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
		size := inline.CodeSpan(s)
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
	if name == "" || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" || name[0] >= '0' && name[0] <= '9' {
		return ""
	}
	if !dollar && !strings.Contains(name, "_") {
		return ""
	}
	return name
}

// programLike reports whether a word can be the name of a program.
func programLike(s string) bool {
	return len(s) >= 2 && len(s) <= 30 && s[0] >= 'a' && s[0] <= 'z' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-+") == ""
}

// remark reports whether what follows a name says no more than that it has to be there, and which
// version.
func remark(s string) bool {
	s = strings.TrimSpace(s)
	if s == "" || strings.ContainsRune(".,;(>=<0123456789:≥—–", inline.FirstRune(s)) || strings.HasPrefix(s, "- ") {
		return true
	}
	first, _, _ := strings.Cut(inline.Words(s), " ")
	return slices.Contains([]string{"installed", "on", "in", "available", "is", "must", "version", "v", "cli", "exists", "present", "running", "or", "set", "command", "binary"}, first)
}

func AppendNew(list []string, s string) []string {
	if len(list) >= maxFiles || slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
