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

// readCommitMessages reads a fence outside all sections that lists the messages of several phases,
// each under a line such as "Phase 3A:". A single message there belongs to a plan of one phase.
func (r *Reading) readCommitMessages() {
	d, units := r.Doc, r.Units
	for _, h := range d.Headings {
		if words.ClassOf(h.Text) != words.ClassCommit || r.Covered[h.Line] {
			continue
		}
		for _, f := range d.CodeBlocksIn(h.Line, h.End) {
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
				if message := strings.TrimSpace(strings.Join(text, "\n")); message != "" &&
					units[i].Commit == "" {
					units[i].Commit = message
				}
			}
			if len(lines) == 0 && len(units) == 1 && units[0].Commit == "" {
				units[0].Commit = section.CommitText(f.Text)
			}
		}
	}
}

// ReadConstraints reads the constraints that the document states outside its phases. A statement
// without a path, or with an exception, is ignored, because no check could detect a violation.
func (r *Reading) ReadConstraints() {
	for _, h := range r.Doc.Headings {
		name := inline.Words(h.Text)
		goals := section.NonGoalNames.MatchString(name)
		if r.Covered[h.Line] || !goals && !section.ConstraintNames.MatchString(name) {
			continue
		}
		for _, s := range section.ConstraintsIn(r.Doc, h.Line+1, h.End, goals) {
			if len(r.Constraints) < section.MaxConstraints && !r.Covered[s.Pos.Line] {
				r.Constraints = append(r.Constraints, s)
			}
		}
	}
}

// readGlobalPrerequisites adds prerequisites that stand outside all phases to every phase.
func (r *Reading) readGlobalPrerequisites() {
	var u section.Unit
	for _, h := range r.Doc.Headings {
		if !r.Covered[h.Line] && slices.Contains(words.PrerequisiteNames[:4],
			inline.Words(h.Text)) && h.Level > 1 {
			u.PrerequisitesIn(r.Doc, h.Line+1, h.End)
		}
	}
	for i := range r.Units {
		p := &r.Units[i].Prerequisites
		for _, s := range u.Prerequisites.Commands {
			p.Commands = section.AddPrerequisite(p.Commands, s)
		}
		for _, s := range u.Prerequisites.Variables {
			p.Variables = section.AddPrerequisite(p.Variables, s)
		}
		for _, s := range u.Prerequisites.Files {
			p.Files = section.AddPrerequisite(p.Files, s)
		}
	}
}

// readGlobalGates adds the commands outside all phases, under a heading such as "Validation
// Commands", to every phase without gates.
func (r *Reading) readGlobalGates(closing []document.Heading) {
	var gates []plan.Gate
	for _, h := range r.Doc.Headings {
		final := slices.ContainsFunc(closing,
			func(c document.Heading) bool { return c.Line <= h.Line && h.Line < c.End })
		if words.ClassOf(h.Text) != words.ClassGates || r.Covered[h.Line] || final {
			continue
		}
		u := section.Unit{From: h.Line, To: h.End}
		all := []document.Topic{{From: h.Line, To: h.End, Class: words.ClassGates, Item: -1}}
		u.Commands(r.Doc, all)
		gates = append(gates, u.Gates...)
	}
	for i := range r.Units {
		if len(r.Units[i].Gates) == 0 {
			r.Units[i].Gates = gates
		}
	}
}
