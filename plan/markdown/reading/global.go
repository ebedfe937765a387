package reading

import (
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// messages reads a fence outside all sections that lists the messages of several phases, each under
// a line such as "Phase 3A:". A single message there belongs to a plan of one phase.
func (r *Reading) messages() {
	d, units := r.Doc, r.Units
	for _, h := range d.Heads {
		if words.ClassOf(h.Text) != words.ClassCommit || r.Covered[h.Line] {
			continue
		}
		for _, f := range d.FencesIn(h.Line, h.End) {
			current := -1
			lines := map[int][]string{}
			for line := range strings.Lines(f.Text) {
				line = strings.TrimRight(line, "\n")
				t := words.ReadTitle(strings.TrimSuffix(strings.TrimSpace(line), ":"))
				if i, ok := r.Index().Find(t.Label); ok && t.Kind != "" && t.Name == "" {
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
				units[0].Commit = section.CommitText(f.Text)
			}
		}
	}
}

// WholePlan takes the constraints that the document states outside of its phases. A statement
// that names no path, or takes a part of itself back, is text for people: nothing could witness
// that it is contradicted.
func (r *Reading) WholePlan() {
	for _, h := range r.Doc.Heads {
		name := inline.Words(h.Text)
		goals := section.NonGoalNames.MatchString(name)
		if r.Covered[h.Line] || !goals && !section.ConstraintNames.MatchString(name) {
			continue
		}
		for _, s := range section.StatementsIn(r.Doc, h.Line+1, h.End, goals) {
			if len(r.Constraints) < section.MaxConstraints && !r.Covered[s.Pos.Line] {
				r.Constraints = append(r.Constraints, s)
			}
		}
	}
}

// globalPrerequisites gives what a heading outside all phases asks for to every phase.
func (r *Reading) globalPrerequisites() {
	var u section.Unit
	for _, h := range r.Doc.Heads {
		if !r.Covered[h.Line] && slices.Contains(words.PrerequisiteNames[:4], inline.Words(h.Text)) && h.Level > 1 {
			u.NeededIn(r.Doc, h.Line+1, h.End)
		}
	}
	for i := range r.Units {
		p := &r.Units[i].Prerequisites
		for _, s := range u.Prerequisites.Commands {
			p.Commands = section.AppendNew(p.Commands, s)
		}
		for _, s := range u.Prerequisites.Variables {
			p.Variables = section.AppendNew(p.Variables, s)
		}
		for _, s := range u.Prerequisites.Files {
			p.Files = section.AppendNew(p.Files, s)
		}
	}
}

// globalGates gives the commands that stand outside all phases, under a heading such as "Validation
// Commands", to every phase that states none.
func (r *Reading) globalGates(closing []document.Heading) {
	var gates []plan.Gate
	for _, h := range r.Doc.Heads {
		final := slices.ContainsFunc(closing, func(c document.Heading) bool { return c.Line <= h.Line && h.Line < c.End })
		if words.ClassOf(h.Text) != words.ClassGates || r.Covered[h.Line] || final {
			continue
		}
		u := section.Unit{From: h.Line, To: h.End}
		all := []document.Stretch{{From: h.Line, To: h.End, Class: words.ClassGates, Item: -1}}
		u.Commands(r.Doc, all)
		gates = append(gates, u.Gates...)
	}
	for i := range r.Units {
		if len(r.Units[i].Gates) == 0 {
			r.Units[i].Gates = gates
		}
	}
}
