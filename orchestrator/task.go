package orchestrator

import (
	"cmp"
	"path"
	"slices"

	"autobuild/failure"
	"autobuild/failure/policy"
	"autobuild/plan"
	"autobuild/state"
)

// Bounds of what a task says of other phases.
const (
	maxBefore   = 20 // complete phases
	maxTroubles = 20 // failed siblings
	maxSiblings = 50 // phases beside it, and the files that they change or create
)

// Started is the event of an action of kind Start; key is a new random word for the attempt.
func Started(p *plan.Plan, run *state.Run, o Options, a Action, key string) state.Event {
	phase := &run.Phases[a.Phase]
	return state.Event{
		Type: state.PhaseStarted, Phase: phase.ID, Attempt: a.Attempt, Attempts: o.attempts(phase),
		Key:   key,
		Print: p.At(a.Phase).Fingerprint, Agent: a.Agent.Name, Account: a.Agent.Account,
	}
}

// NewTask copies all that a worker may know of the run for the attempt at phase i that has just
// been recorded as started.
func NewTask(p *plan.Plan, run *state.Run, o Options, i int) state.Task {
	phase := &run.Phases[i]
	follows := phase.Next()
	now, earlier := phase.Attempts[len(phase.Attempts)-1], phase.Attempts[:len(phase.Attempts)-1]
	task := state.Task{
		Phase: p.At(i), Position: i + 1, Of: p.Len(), Attempt: now.N, Key: now.Key,
		Earlier: slices.Clone(earlier), Was: phase.Was, Spent: phase.Spent, Past: o.past(p, run, i),
		// a wait takes nothing back: it goes on where it was
		Fresh: follows.Fresh && phase.Waits == 0,
		Last:  now.N >= o.attempts(phase),
		Agent: now.Agent, Notes: slices.Clone(phase.Notes),
	}
	if follows.Action == failure.Escalate {
		task.Tier = follows.To
	}
	for _, j := range siblings(p, i) {
		other := &run.Phases[j]
		if other.Status == state.Running ||
			other.Status == state.Pending && len(task.Beside) < maxSiblings {
			task.Beside = append(task.Beside, p.At(j))
		}
		if d, ok := trouble(other); ok && len(task.Troubles) < maxTroubles {
			task.Troubles = append(task.Troubles,
				state.Trouble{
					Label: other.Label, Name: other.Name, Type: d.Type,
					Message: d.Message,
				})
		}
	}
	for _, j := range completed(p, run, i) {
		other := p.At(j)
		done := state.Finished{Label: other.Label, Name: other.Name}
		if c := run.Phases[j].Commit; c != nil {
			done.Message = c.Message
		}
		task.Before = append(task.Before, done)
	}
	return task
}

// past is what the rules of a diagnosis may ask about phase i and its batch.
func (o *Options) past(p *plan.Plan, run *state.Run, i int) failure.Past {
	phase := &run.Phases[i]
	past := failure.Past{
		Node: phase.ID, Parent: cmp.Or(p.Title, path.Base(run.Config.Plan)),
		Earlier: slices.Clone(phase.Past), Failed: len(phase.Past), Allowed: o.attempts(phase),
		Revisions: phase.Proposals,
		Tokens:    phase.Spent.InputTokens + phase.Spent.OutputTokens,
	}
	if limited, ok := o.policy(phase.ID).(policy.Limited); ok {
		past.TokenBudget = limited.MaxTokens
	}
	for _, j := range siblings(p, i) {
		other := &run.Phases[j]
		if files := touched(other); len(files) > 0 {
			past.Siblings = append(past.Siblings, failure.Sibling{Phase: other.Label, Files: files})
		}
	}
	for _, j := range p.Creators() {
		if len(past.Siblings) == maxSiblings {
			break
		}
		if j != i && run.Phases[j].Status != state.Complete && !p.Reaches(i, j) &&
			!p.Reaches(j, i) {
			other := p.At(j)
			past.Siblings = append(past.Siblings,
				failure.Sibling{Phase: other.Label, Creates: other.Files.Create})
		}
	}
	return past
}

// siblings are the other phases of the same batch, in plan order.
func siblings(p *plan.Plan, phase int) []int {
	return slices.DeleteFunc(slices.Clone(p.Batch(p.Level(phase))),
		func(i int) bool { return i == phase })
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

// completed lists the complete phases for the attempt at phase i, in plan order: its own needs, and
// others as far as there is room.
func completed(p *plan.Plan, run *state.Run, i int) []int {
	listed := slices.Clone(p.Needs(i))
	for j := range run.Phases {
		if len(listed) >= maxBefore {
			break
		}
		if run.Phases[j].Status == state.Complete &&
			!slices.Contains(listed, j) {
			listed = append(listed, j)
		}
	}
	slices.Sort(listed)
	return slices.DeleteFunc(listed,
		func(j int) bool { return run.Phases[j].Status != state.Complete })
}
