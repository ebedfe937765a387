package markdown

import (
	"slices"
	"strings"

	"autobuild/plan/markdown/document"

	"autobuild/plan/markdown/words"

	"autobuild/plan/markdown/inline"

	"autobuild/plan"
)

// messages reads a fence outside all sections that lists the messages of several phases, each under
// a line such as "Phase 3A:". A single message there belongs to a plan of one phase.
func (r *reading) messages() {
	d, units := r.doc, r.units
	for _, h := range d.Heads {
		if words.ClassOf(h.Text) != words.ClassCommit || r.covered[h.Line] {
			continue
		}
		for _, f := range d.FencesIn(h.Line, h.End) {
			current := -1
			lines := map[int][]string{}
			for line := range strings.Lines(f.Text) {
				line = strings.TrimRight(line, "\n")
				t := words.ReadTitle(strings.TrimSuffix(strings.TrimSpace(line), ":"))
				if i, ok := r.index().Find(t.Label); ok && t.Kind != "" && t.Name == "" {
					current = i
					continue
				}
				if current >= 0 {
					lines[current] = append(lines[current], line)
				}
			}
			for i, text := range lines {
				if message := strings.TrimSpace(strings.Join(text, "\n")); message != "" && units[i].Commit == "" {
					units[i].Commit = message
				}
			}
			if len(lines) == 0 && len(units) == 1 && units[0].Commit == "" {
				units[0].Commit = commitText(f.Text)
			}
		}
	}
}

// wholePlan takes the constraints that the document states outside of its phases. A statement
// that names no path, or takes a part of itself back, is text for people: nothing could witness
// that it is contradicted.
func (r *reading) wholePlan() {
	for _, h := range r.doc.Heads {
		name := inline.Words(h.Text)
		goals := nonGoalNames.MatchString(name)
		if r.covered[h.Line] || !goals && !constraintNames.MatchString(name) {
			continue
		}
		for _, s := range statementsIn(r.doc, h.Line+1, h.End, goals) {
			if len(r.constraints) < maxConstraints && !r.covered[s.Pos.Line] {
				r.constraints = append(r.constraints, s)
			}
		}
	}
}

// globalPrerequisites gives what a heading outside all phases asks for to every phase.
func (r *reading) globalPrerequisites() {
	var u unit
	for _, h := range r.doc.Heads {
		if !r.covered[h.Line] && slices.Contains(words.PrerequisiteNames[:4], inline.Words(h.Text)) && h.Level > 1 {
			u.neededIn(r.doc, h.Line+1, h.End)
		}
	}
	for i := range r.units {
		p := &r.units[i].Prerequisites
		for _, s := range u.Prerequisites.Commands {
			p.Commands = appendNew(p.Commands, s)
		}
		for _, s := range u.Prerequisites.Variables {
			p.Variables = appendNew(p.Variables, s)
		}
		for _, s := range u.Prerequisites.Files {
			p.Files = appendNew(p.Files, s)
		}
	}
}

// globalGates gives the commands that stand outside all phases, under a heading such as "Validation
// Commands", to every phase that states none.
func (r *reading) globalGates(closing []document.Heading) {
	var gates []plan.Gate
	for _, h := range r.doc.Heads {
		final := slices.ContainsFunc(closing, func(c document.Heading) bool { return c.Line <= h.Line && h.Line < c.End })
		if words.ClassOf(h.Text) != words.ClassGates || r.covered[h.Line] || final {
			continue
		}
		u := unit{from: h.Line, to: h.End}
		all := []document.Stretch{{From: h.Line, To: h.End, Class: words.ClassGates, Item: -1}}
		u.commands(r.doc, all)
		gates = append(gates, u.Gates...)
	}
	for i := range r.units {
		if len(r.units[i].Gates) == 0 {
			r.units[i].Gates = gates
		}
	}
}
