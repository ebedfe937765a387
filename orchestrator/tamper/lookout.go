package tamper

import (
	"context"
	"fmt"
	"sync"
)

// Lookout watches everything around the places where phases work, and decides which phase answers
// for a change.
type Lookout struct {
	Git     *Outside                // nil: no git
	State   *StateFiles             // nil: not compared
	Env     *Environment            // nil: not compared
	Plan    func() (changed string) // how the plan differs from its start; empty: not at all
	Planted func() []string         // new commands of the knowledge file; nil: not compared
	Shared  bool                    // phases have no worktrees of their own

	judging  sync.Mutex // held by one look at a time
	reported string     // the change of the plan that was reported last

	mu     sync.Mutex
	atWork map[string]bool // phases from Enter to Rest
	// phase → the world around its worktree when its agent began
	outside map[string]Snapshot
	fresh   map[string]bool     // phases whose worktree holds no agent's work yet
	before  map[string][]string // phase → changes of the environment before it was opened
	// phase → breaches that were found while it was one of several at work
	blamed map[string][]string
}

// Breaches are the findings of a look around a phase's worktree.
type Breaches struct {
	Found        []string // changes that only a child of the run can have made
	Unattributed bool     // all of them were found while other phases were at work
	Warnings     []string // other changes that were put back
}

// planted reports new commands of the knowledge file, each once. judging is held.
func (l *Lookout) planted() []string {
	if l.Planted == nil {
		return nil
	}
	return l.Planted()
}

// AcceptPlan notes that the plan with this safefile.Stamp is the user's.
func (l *Lookout) AcceptPlan(stamp string) {
	if l.Git != nil {
		l.Git.AcceptPlan(stamp)
	}
}

// aboutPlan reports each change of the plan once. judging is held.
func (l *Lookout) aboutPlan() []string {
	if l.Plan == nil {
		return nil
	}
	changed := l.Plan()
	if changed == l.reported {
		return nil
	}
	if l.reported = changed; changed == "" {
		return nil
	}
	return []string{"while it ran, " + changed}
}

// besides follows a breach that several phases answer for.
const besides = ", while several phases were at work"

// common compares what all phases share: autobuild's own files, the environment, and worktrees at
// rest.
func (l *Lookout) common(ctx context.Context, commands []string) ([]string, error) {
	found, err := l.State.tampered()
	if err == nil {
		var changed []string
		changed, err = l.Env.changed(commands...)
		found = append(found, changed...)
	}
	if err != nil || l.Git == nil {
		return found, err
	}
	resting, err := l.Git.line.Disturbed(ctx)
	return append(found, resting...), err
}

// around words a change for which no phase is blamed.
func (l *Lookout) around(text string) string {
	if l.Shared {
		return "around it, while it ran: " + text
	}
	return "outside its worktree, while it ran: " + text
}

// bounded keeps the first of many notes and counts the others.
func bounded(notes []string) []string {
	const most = 8
	if more := len(notes) - most; more > 0 {
		notes = append(notes[:most], fmt.Sprintf("%d more such changes", more))
	}
	return notes
}
