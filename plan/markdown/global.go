package markdown

import (
	"slices"
	"strings"

	"autobuild/plan"
)

// messages reads a fence outside all sections that lists the messages of several phases, each under
// a line such as "Phase 3A:". A single message there belongs to a plan of one phase.
func (r *reading) messages() {
	d, units := r.doc, r.units
	for _, h := range d.heads {
		if classOf(h.text) != classCommit || r.covered[h.line] {
			continue
		}
		for _, f := range d.fencesIn(h.line, h.end) {
			current := -1
			lines := map[int][]string{}
			for line := range strings.Lines(f.text) {
				line = strings.TrimRight(line, "\n")
				t := readTitle(strings.TrimSuffix(strings.TrimSpace(line), ":"))
				if i, ok := r.index().Find(t.label); ok && t.kind != "" && t.name == "" {
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
				units[0].Commit = commitText(f.text)
			}
		}
	}
}

// wholePlan takes the constraints that the document states outside of its phases. A statement
// that names no path, or takes a part of itself back, is text for people: nothing could witness
// that it is contradicted.
func (r *reading) wholePlan() {
	for _, h := range r.doc.heads {
		name := words(h.text)
		goals := nonGoalNames.MatchString(name)
		if r.covered[h.line] || !goals && !constraintNames.MatchString(name) {
			continue
		}
		for _, s := range statementsIn(r.doc, h.line+1, h.end, goals) {
			if len(r.constraints) < maxConstraints && !r.covered[s.Pos.Line] {
				r.constraints = append(r.constraints, s)
			}
		}
	}
}

// globalPrerequisites gives what a heading outside all phases asks for to every phase.
func (r *reading) globalPrerequisites() {
	var u unit
	for _, h := range r.doc.heads {
		if !r.covered[h.line] && slices.Contains(prerequisiteNames[:4], words(h.text)) && h.level > 1 {
			u.neededIn(r.doc, h.line+1, h.end)
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
func (r *reading) globalGates(closing []heading) {
	var gates []plan.Gate
	for _, h := range r.doc.heads {
		final := slices.ContainsFunc(closing, func(c heading) bool { return c.line <= h.line && h.line < c.end })
		if classOf(h.text) != classGates || r.covered[h.line] || final {
			continue
		}
		u := unit{from: h.line, to: h.end}
		all := []stretch{{from: h.line, to: h.end, class: classGates, item: -1}}
		u.commands(r.doc, all)
		gates = append(gates, u.Gates...)
	}
	for i := range r.units {
		if len(r.units[i].Gates) == 0 {
			r.units[i].Gates = gates
		}
	}
}
