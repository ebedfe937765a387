// Package tamper detects and restores changes to autobuild's state files and to the run's git
// directory while phases run. It reads no other files: they belong to the user. It does not know
// agents, plans, gates, or the effect of tampering on an attempt.
package tamper

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// Lookout compares autobuild's own files around attempts, and attributes changes to phases.
type Lookout struct {
	Git     func() ([]string, error) // changes of the run's git directory that were put back; nil: there is none
	State   *StateFiles              // nil: not compared
	Plan    func() (changed string)  // how the plan differs from its start; empty: not at all
	Planted func() []string          // new commands of the knowledge file; nil: not compared

	judging  sync.Mutex // held by one look at a time
	reported string     // the change of the plan that was reported last

	mu     sync.Mutex
	atWork map[string]bool     // phases from Enter to Rest
	blamed map[string][]string // phase → breaches that were found while it was one of several at work
}

// Breaches are the findings of a look.
type Breaches struct {
	Found        []string // changes that only a child of the run can have made
	Unattributed bool     // all of them were found while other phases were at work
	Warnings     []string // other changes
}

// besides follows a breach that several phases answer for.
const besides = ", while several phases were at work"

// Enter begins the work of a phase. It is called before its clone is opened.
func (l *Lookout) Enter(_ context.Context, phase string) error {
	l.judging.Lock()
	defer l.judging.Unlock()
	found, err := l.look()
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.blame("", found)
	if l.atWork == nil {
		l.atWork = map[string]bool{}
	}
	l.atWork[phase] = true
	return nil
}

// Watch forgets what was found before the agent of a phase begins.
func (l *Lookout) Watch(_ context.Context, phase string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.blamed, phase)
	return nil
}

// Breaches looks once more. A change while several phases were at work cannot be attributed, so it
// is a breach of each of them: each runs once more, alone.
func (l *Lookout) Breaches(_ context.Context, phase string) (Breaches, error) {
	l.judging.Lock()
	defer l.judging.Unlock()
	found, err := l.look()
	if err != nil {
		return Breaches{}, err
	}
	warnings := l.aboutPlan()
	if l.Planted != nil {
		warnings = append(warnings, l.Planted()...)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	shared := l.blame(phase, found)
	breaches := slices.Clone(l.blamed[phase])
	unattributed := shared || len(breaches) > 0
	for _, text := range found {
		if shared {
			text += besides
		}
		breaches = append(breaches, text)
		unattributed = unattributed && shared
	}
	delete(l.blamed, phase)
	return Breaches{
		Found: bounded(breaches), Unattributed: unattributed, Warnings: bounded(warnings),
	}, nil
}

// blame adds what was found to the phases at work but one, and reports whether there are any. mu is
// held.
func (l *Lookout) blame(but string, found []string) (others bool) {
	for phase := range l.atWork {
		if phase == but {
			continue
		}
		others = true
		for _, text := range found {
			if text += besides; !slices.Contains(l.blamed[phase], text) {
				if l.blamed == nil {
					l.blamed = map[string][]string{}
				}
				l.blamed[phase] = append(l.blamed[phase], text)
			}
		}
	}
	return others
}

// Rest ends the work of a phase.
func (l *Lookout) Rest(_ context.Context, phase string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.atWork, phase)
}

// look compares the files of the state and of git. judging is held.
func (l *Lookout) look() ([]string, error) {
	found := l.State.tampered()
	if l.Git == nil {
		return found, nil
	}
	more, err := l.Git()
	return append(found, more...), err
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

// bounded keeps the first of many notes and counts the others.
func bounded(notes []string) []string {
	const most = 8
	if more := len(notes) - most; more > 0 {
		notes = append(notes[:most], fmt.Sprintf("%d more such changes", more))
	}
	return notes
}
