package markdown

import (
	"slices"
	"strings"
)

// prerequisites reads what a section says it needs to find: only code spans and "$NAME" at the
// start of a list item, or in a list of nothing else behind the label. A sentence that mentions a
// tool states nothing.
func (u *unit) prerequisites(d *document) {
	for _, l := range d.labelsIn(u.from, u.introEnd(d)) {
		if !slices.Contains(prerequisiteNames, l.name) || l.item >= 0 && d.inTask(l.item, u.own-1) {
			continue
		}
		if l.value != "" {
			u.needed(d, l.value)
			continue
		}
		for _, raw := range listBelow(d, l) {
			u.needed(d, raw)
		}
	}
	for _, h := range d.headsIn(u.from+1, u.to) {
		if slices.Contains(prerequisiteNames, words(h.text)) {
			u.neededIn(d, h.line+1, min(h.end, u.to))
		}
	}
}

func (u *unit) neededIn(d *document, from, to int) {
	for _, it := range d.itemsIn(from, to) {
		u.needed(d, it.raw)
	}
}

// listBelow is the items of the list that follows a label without a value.
func listBelow(d *document, l label) []string {
	var raws []string
	previous := l.line
	for _, it := range d.itemsIn(l.line+1, d.count()+1) {
		if it.line > previous+2 {
			break
		}
		previous = it.end - 1
		raws = append(raws, it.raw)
	}
	return raws
}

// needed reads one statement: names at its start, joined by commas or "and", and then nothing but a
// remark.
func (u *unit) needed(d *document, raw string) {
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
			p.Variables = appendNew(p.Variables, variable)
		case pathLike(name) && (strings.Contains(name, "/") || strings.HasPrefix(name, ".")) && (goesOn || remark(after)):
			p.Files = appendNew(p.Files, cleanPath(name))
		case goesOn || remark(after):
			if program, _, _ := strings.Cut(name, " "); programLike(program) {
				p.Commands = appendNew(p.Commands, program)
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
		size := codeSpan(s)
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
	if s == "" || strings.ContainsRune(".,;(>=<0123456789:≥—–", firstRune(s)) || strings.HasPrefix(s, "- ") {
		return true
	}
	first, _, _ := strings.Cut(words(s), " ")
	return slices.Contains([]string{"installed", "on", "in", "available", "is", "must", "version", "v", "cli", "exists", "present", "running", "or", "set", "command", "binary"}, first)
}

func appendNew(list []string, s string) []string {
	if len(list) >= maxFiles || slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
