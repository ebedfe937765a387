package render

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/internal/text"
	"autobuild/plan"
)

// suggest chooses by the evidence, the most certain kind first: two phases in each other's way; a
// phase that needs another's result; one that is too large; one that works on another's files;
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
			fmt.Sprintf(
				"Phase %s changed %s, which belongs to phase %s, and the two may run at the "+
					"same time. One after the other, the second sees what the first has made.",
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
		return w.after(other.ID, fmt.Sprintf("Let phase %s wait for %s", w.label(),
			inert(other.Label, 40)),
			fmt.Sprintf(
				"Phases %s and %s both changed `%s`, and git could not merge them. One after "+
					"the other they cannot be in conflict.",
				w.label(), inert(other.Label, 40), inert(c.File, 120))), true
	}
	return suggestion{}, false
}

// missing answers a file that is not there, and that another phase makes.
func (w *wish) missing() (suggestion, bool) {
	for _, path := range slices.Concat(w.f.Files, w.f.Near) {
		for _, other := range w.Plan.Phases() {
			if !slices.Contains(other.Files.Create, path) || other.ID == w.phase.ID ||
				w.related(other.ID) {
				continue
			}
			return w.after(other.ID, fmt.Sprintf("Let phase %s wait for %s", w.label(),
				inert(other.Label, 40)),
				fmt.Sprintf(
					"Phase %s needs `%s`, which phase %s creates. It cannot succeed before that.",
					w.label(), inert(path, 120), inert(other.Label, 40))), true
		}
	}
	return suggestion{}, false
}

// after makes the phase depend on another one.
func (w *wish) after(id, title, why string) suggestion {
	other, _ := w.Plan.Find(id)
	return suggestion{title: title, why: why, change: fmt.Sprintf(
		"Add %s to the dependencies of phase %s (%s), and take out what says that the two may "+
			"run at the same time.",
		inert(other.Label, 40), w.label(), w.at(w.phase.Pos.Line),
	)}
}

// agent answers a failure of an agent or of its answer. Such a failure hardly concerns the plan, so
// nothing of it is changed.
func (w *wish) agent() suggestion {
	if last, _ := w.Phase.Last(); last.Agent == "script" && w.f.Type == failure.AgentError {
		return suggestion{
			title: fmt.Sprintf("Mend the sh block of phase %s", w.label()),
			why: fmt.Sprintf(
				"%s. The script agent runs what the plan says: either the block is wrong, or "+
					"what it needs has to be there first.",
				strings.TrimRight(inert(w.f.Message, 200), ".")),
		}
	}
	return suggestion{
		title: fmt.Sprintf("Look at the agent before you change phase %s", w.label()),
		why: fmt.Sprintf(
			"%s. That is about the agent and its answer rather than about the plan: try another "+
				"agent or model first, and make "+
				"the phase smaller only if that fails as well.",
			strings.TrimRight(inert(w.f.Message, 200), ".")),
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
		criterion = fmt.Sprintf(
			"%s passes under %s; where that test asks for what this phase must not give, the "+
				"test is changed instead",
			inert(located(t.Name, FileLine(t.File, t.Line)), 160), what)
	}
	return suggestion{
		title: fmt.Sprintf("Rewrite the criteria of phase %s", w.label()),
		why: fmt.Sprintf(
			"%s: %s. What the phase is told to do and what %s for do not seem to fit. Say which "+
				"of them counts.",
			met, inert(w.f.Message, 200), asks),
		change: w.criterion(criterion),
	}
}

// criterion says which criterion to write, in place of the one that comes nearest or as a first
// one.
func (w *wish) criterion(text string) string {
	if len(w.phase.Criteria) == 0 {
		return fmt.Sprintf("Below the tasks of phase %s (%s), add under \"Definition of Done\": %s",
			w.label(), w.at(w.phase.Pos.Line), text)
	}
	nearest := w.phase.Criteria[0]
	for _, c := range w.phase.Criteria {
		if w.f.Gate != "" && strings.Contains(strings.ToLower(c.Text), strings.ToLower(w.f.Gate)) {
			nearest = c
			break
		}
	}
	return fmt.Sprintf("Replace the criterion at %s by: %s", w.at(nearest.Pos.Line), text)
}

// split makes two phases of one, before the middle one of its tasks.
func (w *wish) split() (suggestion, bool) {
	top := w.topTasks()
	if len(top) < 2 {
		return suggestion{}, false
	}
	task := top[len(top)/2]
	return suggestion{
		title: fmt.Sprintf("Split phase %s in two", w.label()),
		why: fmt.Sprintf(
			"The phase has %s%s and ended with %s: %s. Two smaller ones are each checked by "+
				"themselves, and a retry repeats less.",
			text.Count(len(w.phase.Tasks), "task"), estimateOf(w.phase), w.f.Type,
			inert(w.f.Message, 200)),
		change: fmt.Sprintf(
			"Begin a second phase before the task at %s (%s). It depends on the first, and what "+
				"depends on phase %s depends on it.",
			w.at(task.Pos.Line), inert(task.Text, 120), w.label()),
	}, true
}

func estimateOf(p plan.Phase) string {
	if p.Estimate.Text == "" {
		return ""
	}
	return ", an estimate of " + inert(p.Estimate.Text, 20) + ","
}

// topTasks are the tasks that are no parts of other tasks.
func (w *wish) topTasks() []plan.Task {
	var top []plan.Task
	for _, t := range w.phase.Tasks {
		if t.Pos.Valid() && (len(top) == 0 || t.Pos.Col == top[0].Pos.Col) {
			top = append(top, t)
		}
	}
	return top
}
