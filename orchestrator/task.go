package orchestrator

import (
	"cmp"
	"path"
	"slices"

	"autobuild/failure"
	"autobuild/state"
)

// What an attempt hears of other phases.
const (
	toldBefore   = 20 // complete phases
	toldTroubles = 20 // failed siblings
	toldSiblings = 50 // phases beside it, and the files that they change or create
)

// task copies everything that a worker may know: the run itself stays with the loop.
func (l *loop) task(a Action, p *state.Phase) state.Task {
	follows := p.Next()
	task := state.Task{
		Phase: l.Plan.At(a.Phase), Position: a.Phase + 1, Of: l.Plan.Len(), Attempt: a.Attempt, Key: l.Key(),
		Earlier: slices.Clone(p.Attempts), Was: p.Was, Spent: p.Spent,
		Fresh: follows.Fresh && p.Status != state.Waiting, // a wait takes nothing back: it goes on where it was
		Last:  a.Attempt >= attemptsOf(l.policy(p.ID), p),
		Agent: a.Agent.Name,
	}
	if follows.Action == failure.Escalate {
		task.Tier = follows.To
	}
	for _, i := range l.siblings(a.Phase) {
		other := &l.run.Phases[i]
		if other.Status == state.Running || other.Status == state.Pending {
			task.Beside = append(task.Beside, l.Plan.At(i))
		}
		if d, ok := trouble(other); ok && len(task.Troubles) < toldTroubles {
			task.Troubles = append(task.Troubles, state.Trouble{Label: other.Label, Name: other.Name, Type: d.Type, Message: d.Message})
		}
	}
	for _, i := range l.complete(a.Phase) {
		other := l.Plan.At(i)
		done := state.Finished{Label: other.Label, Name: other.Name}
		if c := l.run.Phases[i].Commit; c != nil {
			done.Message = c.Message
		}
		task.Before = append(task.Before, done)
	}
	return task
}

// past is what the rules of a diagnosis may ask about the phase and its batch. What siblings change from now on is not in it: a
// worker gets what is known when it starts.
func (l *loop) past(phase int, p *state.Phase) failure.Past {
	past := failure.Past{
		Node: p.ID, Parent: cmp.Or(l.Plan.Title, path.Base(l.run.Config.Plan)),
		Earlier: slices.Clone(p.Past), Failed: len(p.Past), Allowed: attemptsOf(l.policy(p.ID), p), Revisions: p.Proposals,
		Tokens: p.Spent.InputTokens + p.Spent.OutputTokens,
	}
	if limited, ok := l.policy(p.ID).(failure.Limited); ok {
		past.TokenBudget = limited.MaxTokens
	}
	for _, i := range l.siblings(phase) {
		other := &l.run.Phases[i]
		if files := touched(other); len(files) > 0 {
			past.Siblings = append(past.Siblings, failure.Sibling{Phase: other.Label, Files: files})
		}
	}
	ordered := slices.Concat(l.Plan.Ancestors(phase), l.Plan.Descendants(phase), []int{phase})
	for i, other := range l.Plan.Phases() {
		if len(past.Siblings) == toldSiblings {
			break
		}
		if len(other.Files.Create) > 0 && l.run.Phases[i].Status != state.Complete && !slices.Contains(ordered, i) {
			past.Siblings = append(past.Siblings, failure.Sibling{Phase: other.Label, Creates: other.Files.Create})
		}
	}
	return past
}

// siblings are the other phases of the same batch, in plan order.
func (l *loop) siblings(phase int) []int {
	var is []int
	for i := range l.run.Phases {
		if i != phase && l.Plan.Level(i) == l.Plan.Level(phase) {
			is = append(is, i)
		}
	}
	return is
}

// touched are the files that a phase's attempts have changed, each once.
func touched(p *state.Phase) []string {
	if len(p.Attempts) == 1 {
		return p.Attempts[0].Changes.Paths()
	}
	var files []string
	for i := range p.Attempts {
		files = append(files, p.Attempts[i].Changes.Paths()...)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// trouble is the latest failure of a phase that has not overcome it.
func trouble(p *state.Phase) (d failure.Diagnosis, ok bool) {
	failures := p.Failures()
	if len(failures) == 0 || p.Status == state.Complete {
		return d, false
	}
	return failures[len(failures)-1], true
}

// complete lists complete phases that phase should hear of, in plan order: what it needs itself, and others as far as there
// is room.
func (l *loop) complete(phase int) []int {
	told := slices.Clone(l.Plan.Needs(phase))
	for i := range l.run.Phases {
		if len(told) < toldBefore && l.run.Phases[i].Status == state.Complete && !slices.Contains(told, i) {
			told = append(told, i)
		}
	}
	slices.Sort(told)
	return slices.DeleteFunc(told, func(i int) bool { return l.run.Phases[i].Status != state.Complete })
}
