package render

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/internal/text"
	"autobuild/plan"
)

// suggest chooses by the evidence, what is most certain first: two phases in each other's way; a
// phase that needs what another makes; one that is too large; one that works on what is another's;
// criteria that cannot be met.
func (w *wish) suggest() suggestion {
	if s, ok := w.serialise(); ok {
		return s
	}
	if s, ok := w.missing(); ok {
		return s
	}
	switch w.f.Type {
	case failure.ContextOverflow, failure.Timeout, failure.TaskIncomplete:
		if s, ok := w.split(); ok {
			return s
		}
	case failure.ParseError, failure.AgentError:
		return w.agent()
	}
	if found := w.intruded(); len(found) > 0 {
		o := found[0]
		return w.after(o.id, fmt.Sprintf("Let phase %s wait for %s", w.label(), inert(o.label, 40)),
			fmt.Sprintf("Phase %s changed %s, which belongs to phase %s, and the two may run at the same time. One after the other, the second sees what the first has made.",
				w.label(), text.JoinSome(o.files, 5), inert(o.label, 40)))
	}
	if w.again() {
		return w.criteria()
	}
	if s, ok := w.split(); ok {
		return s
	}
	return w.criteria()
}

func (w *wish) label() string { return inert(w.phase.Label, 40) }

// serialise answers a conflict with the phase that had landed.
func (w *wish) serialise() (suggestion, bool) {
	for _, c := range w.f.Conflicts {
		other, ok := w.Plan.Find(c.Other)
		if !ok || other.ID == w.phase.ID || w.related(other.ID) {
			continue
		}
		return w.after(other.ID, fmt.Sprintf("Let phase %s wait for %s", w.label(), inert(other.Label, 40)),
			fmt.Sprintf("Phases %s and %s both changed `%s`, and git could not merge them. One after the other they cannot be in conflict.",
				w.label(), inert(other.Label, 40), inert(c.File, 120))), true
	}
	return suggestion{}, false
}

// missing answers a file that is not there, and that another phase makes.
func (w *wish) missing() (suggestion, bool) {
	for _, path := range slices.Concat(w.f.Files, w.f.Near) {
		for _, other := range w.Plan.Phases() {
			if !slices.Contains(other.Files.Create, path) || other.ID == w.phase.ID || w.related(other.ID) {
				continue
			}
			return w.after(other.ID, fmt.Sprintf("Let phase %s wait for %s", w.label(), inert(other.Label, 40)),
				fmt.Sprintf("Phase %s needs `%s`, which phase %s creates. It cannot succeed before that.", w.label(), inert(path, 120), inert(other.Label, 40))), true
		}
	}
	return suggestion{}, false
}

// after makes the phase depend on another one.
func (w *wish) after(id, title, why string) suggestion {
	s := suggestion{title: title, why: why}
	other, _ := w.Plan.Find(id)
	edits := w.depend(other)
	if p, ok := w.reads(edits); ok {
		if changed, found := p.Find(w.phase.ID); found && p.Len() == w.Plan.Len() && slices.Contains(changed.DependsOn, id) && keeps(changed.DependsOn, w.phase.DependsOn) {
			s.edits = edits
		}
	}
	return s
}

// keeps reports whether nothing of a list was lost.
func keeps(now, before []string) bool {
	return !slices.ContainsFunc(before, func(id string) bool { return !slices.Contains(now, id) })
}

// reads applies edits and reads the plan that they make.
func (w *wish) reads(edits []edit) (*plan.Plan, bool) {
	if len(edits) == 0 || w.Parse == nil {
		return nil, false
	}
	var out []string
	at := 0
	for _, e := range edits {
		if e.line <= at || e.line > len(w.lines) {
			return nil, false
		}
		out = append(append(out, w.lines[at:e.line-1]...), e.by...)
		at = e.line
	}
	p, err := w.Parse(strings.Join(append(out, w.lines[at:]...), "\n"))
	return p, err == nil
}

// agent answers what became of an agent or of its answer. That says little about a plan, so nothing
// of it is changed.
func (w *wish) agent() suggestion {
	if last, _ := w.Phase.Last(); last.Agent == "script" && w.f.Type == failure.AgentError {
		return suggestion{
			title: fmt.Sprintf("Mend the sh block of phase %s", w.label()),
			why: fmt.Sprintf("%s. The script agent runs what the plan says: either the block is wrong, or what it needs has to be there first.",
				strings.TrimRight(inert(w.f.Message, 200), ".")),
		}
	}
	return suggestion{
		title: fmt.Sprintf("Look at the agent before you change phase %s", w.label()),
		why: fmt.Sprintf("%s. That is about the agent and its answer rather than about the plan: try another agent or model first, and make "+
			"the phase smaller only if that fails as well.", strings.TrimRight(inert(w.f.Message, 200), ".")),
	}
}

// again reports whether the same failure was met more than once.
func (w *wish) again() bool {
	met := 0
	for _, e := range w.Phase.Past {
		if e.Fingerprint != "" && e.Fingerprint == w.f.Fingerprint {
			met++
		}
	}
	mine := 0
	for _, f := range w.Phase.Failures() {
		if f.Fingerprint == w.f.Fingerprint {
			mine++
		}
	}
	return max(met, mine) > 1 && w.f.Fingerprint != ""
}

// criteria says in the plan what decides. The plan and the check disagree, and one of them is
// wrong.
func (w *wish) criteria() suggestion {
	what, asks, criterion := "its checks", "its checks ask", "every check passes"
	if w.f.Gate != "" {
		what = "gate " + inert(w.f.Gate, 40)
	}
	if w.f.Command != "" {
		what = "`" + inert(w.f.Command, 120) + "`"
	}
	if what != "its checks" {
		asks, criterion = what+" asks", what+" passes"
	}
	met := "It failed at the end"
	if w.again() {
		met = "The same failure came back although the agent was told of it"
	}
	if len(w.f.Tests) > 0 {
		t := w.f.Tests[0]
		criterion = fmt.Sprintf("%s passes under %s; where that test asks for what this phase must not give, the test is changed instead",
			inert(located(t.Name, FileLine(t.File, t.Line)), 160), what)
	}
	s := suggestion{
		title: fmt.Sprintf("Rewrite the criteria of phase %s", w.label()),
		why: fmt.Sprintf("%s: %s. What the phase is told to do and what %s for do not seem to fit. Say which of them counts.",
			met, inert(w.f.Message, 200), asks),
	}
	edits := w.criterion(criterion)
	if p, ok := w.reads(edits); ok && p.Len() == w.Plan.Len() {
		s.edits = edits
	}
	return s
}

// criterion replaces the criterion that comes nearest, or adds one below the last box.
func (w *wish) criterion(text string) []edit {
	boxes := w.phase.Criteria
	if len(boxes) == 0 {
		boxes = w.phase.Tasks
	}
	if len(boxes) == 0 {
		return nil
	}
	at := boxes[len(boxes)-1]
	if len(w.phase.Criteria) > 0 {
		at = boxes[0]
		for _, c := range boxes {
			if w.f.Gate != "" && strings.Contains(strings.ToLower(c.Text), strings.ToLower(w.f.Gate)) {
				at = c
				break
			}
		}
	}
	line := at.Pos.Line
	if line < 1 || line > len(w.lines) || at.Pos.Col < 1 || at.Pos.Col > len(w.lines[line-1]) {
		return nil
	}
	lead := w.lines[line-1][:at.Pos.Col-1]
	if len(w.phase.Criteria) > 0 {
		return []edit{{line, []string{lead + "[ ] " + text}}}
	}
	return []edit{{line, []string{w.lines[line-1], "", "**Definition of Done:**", "", "- [ ] " + text}}}
}
