package markdown

import (
	"sort"
	"strings"
)

// class is what a part of a phase's section is about.
type class int

const (
	classNone class = iota
	classCriteria
	classFiles
	classGates  // commands by name: "Quality gates"
	classVerify // a heading that often holds prose as well: "Verification"
	classSetup
	classCommit
	classDepends
	classOther // a label that ends what the one before began
)

// classOf sorts a sub-heading or a label by what it announces.
func classOf(name string) class {
	name = words(name)
	if after, step := strings.CutPrefix(name, "step "); step {
		name = strings.TrimLeft(after, "0123456789. ") // "Step 5: Commit"
	}
	switch {
	case name == "":
		return classNone
	case criterial(name):
		return classCriteria
	case hasAny(name, "commit message", "conventional commit", "suggested commit") || name == "commit" || name == "commits" || name == "git commit":
		return classCommit
	case hasAny(name, "quality gate", "validation command", "verification command", "gate commands", "test commands", "verify commands",
		"validation gate", "build and test commands") || name == "gates" || name == "gate" || name == "gate command":
		return classGates
	case name == "verification" || name == "validation" || name == "verify" || name == "how to verify" || name == "tests to run" ||
		name == "verification steps" || name == "validation steps":
		return classVerify
	case name == "setup" || name == "setup commands" || name == "environment setup" || name == "setup command" || name == "bootstrap commands":
		return classSetup
	case filing(name):
		return classFiles
	case name == "dependencies" || name == "depends on" || name == "blocked by" || name == "phase dependencies":
		return classDepends
	}
	return classNone
}

func criterial(name string) bool {
	return hasAny(name, "definition of done", "acceptance", "success criteria", "success metric", "done when", "done criteria", "exit criteria",
		"exit condition", "completion criteria", "complete when", "must haves", "success checklist") || name == "dod" || strings.HasPrefix(name, "dod ") || name == "criteria"
}

func filing(name string) bool {
	switch name {
	case "files", "file", "paths", "location", "files to create", "files to modify", "files to change", "files to edit", "files to update",
		"files to delete", "files to remove", "files to create/modify", "files to create or modify", "files to create and modify", "file changes", "files changed",
		"files affected", "affected files", "files touched", "files modified", "files created", "files involved", "key files", "new files",
		"modified files", "deleted files", "critical files", "target files":
		return true
	}
	return false
}

func hasAny(s string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}

// stretch is a run of lines that are about one thing.
type stretch struct {
	from, to int
	class    class
	name     string
	item     int // the item that a label belongs to, or -1
}

// stretches divides the lines [from, to) of a section by its sub-headings and labels. A deeper
// heading goes on with what the one above it is about, unless it says something itself; a label
// rules until the next label or heading, or, within a list item, to the end of the item.
func (d *document) stretches(from, to int) []stretch {
	s := stretcher{doc: d, heads: d.headsIn(from+1, to), to: to}
	s.add(from, classNone, "", -1)
	for _, l := range d.labelsIn(from, to) {
		s.headings(l.line)
		s.label(l)
	}
	s.headings(to)
	return d.bounded(s.all)
}

// stretcher collects stretches in the order of their lines.
type stretcher struct {
	doc   *document
	heads []heading // those still ahead
	to    int
	all   []stretch
	open  []announced
	base  class // what the current heading is about
}

// announced is what a heading around the current line is about.
type announced struct {
	level int
	class class
}

func (s *stretcher) add(line int, c class, name string, item int) {
	s.all = append(s.all, stretch{from: line, to: s.to, class: c, name: name, item: item})
}

// headings adds the headings up to a line.
func (s *stretcher) headings(line int) {
	for len(s.heads) > 0 && s.heads[0].line <= line {
		h := s.heads[0]
		s.heads = s.heads[1:]
		for len(s.open) > 0 && s.open[len(s.open)-1].level >= h.level {
			s.open = s.open[:len(s.open)-1]
		}
		s.base = classOf(h.text)
		if s.base == classNone && len(s.open) > 0 {
			s.base = s.open[len(s.open)-1].class
		}
		s.open = append(s.open, announced{h.level, s.base})
		s.add(h.line, s.base, words(h.text), -1)
	}
}

func (s *stretcher) label(l label) {
	c := classOf(l.name)
	switch {
	case l.item >= 0 && c == classNone:
	case l.item >= 0 && c == classCommit && s.doc.items[l.item].end <= l.line+1:
		s.add(l.line, c, l.name, -1) // its fence stands below the list
	case l.item >= 0:
		s.add(l.line, c, l.name, l.item)
	case c == classNone && l.value == "":
		s.add(l.line, classOther, l.name, -1)
	case c != classNone && (l.bold || l.value == ""):
		s.add(l.line, c, l.name, -1)
	case l.bold:
		s.add(l.line, s.base, l.name, -1)
	}
}

// bounded gives every stretch its end.
func (d *document) bounded(all []stretch) []stretch {
	outer := -1 // the latest stretch that is not within an item
	var done []stretch
	for i := range all {
		s := all[i]
		if s.item >= 0 {
			s.to = d.items[s.item].end
			done = append(done, s)
			continue
		}
		if outer >= 0 {
			done[outer].to = s.from
		}
		outer = len(done)
		done = append(done, s)
	}
	return done
}

// about is the class of a line: that of the innermost stretch around it. Stretches that belong to
// list items lie within the others, and only the nearest of them can be around the line.
func about(all []stretch, line int) class {
	const nearest = 64
	from := sort.Search(len(all), func(i int) bool { return all[i].from > line }) - 1
	items := 0
	for i := from; i >= 0; i-- {
		s := &all[i]
		if s.item >= 0 {
			if items++; items > nearest {
				continue
			}
		}
		if s.from <= line && line < s.to {
			return s.class
		}
	}
	return classNone
}
