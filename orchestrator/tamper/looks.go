package tamper

import (
	"context"
	"fmt"
	"slices"
)

// Watch takes the world around a phase's worktree as the state to compare with. The first of the
// phases that work at the same time also writes it to disk, for the session after a kill.
func (l *Lookout) Watch(ctx context.Context, phase string) error {
	l.judging.Lock()
	defer l.judging.Unlock()
	l.mu.Lock()
	alone := len(l.atWork) == 0 || len(l.atWork) == 1 && l.atWork[phase]
	delete(l.blamed, phase)
	l.mu.Unlock()
	if err := l.prepared(phase); err != nil {
		return err
	}
	if err := l.Env.hold(); err != nil {
		return err
	}
	var around Snapshot
	if l.Git != nil {
		var err error
		if around, err = l.Git.Look(ctx); err != nil {
			return err
		}
		if alone {
			if err = l.Git.Hold(around); err != nil {
				return err
			}
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	set(&l.outside, phase, around)
	set(&l.atWork, phase, true)
	return nil
}

// Breaches compares with the snapshot of Watch. A change while several phases were at work cannot
// be attributed, so it is a breach of each of them: each runs once more, alone.
func (l *Lookout) Breaches(ctx context.Context, phase string, commands []string) (Breaches, error) {
	l.judging.Lock()
	defer l.judging.Unlock()
	l.mu.Lock()
	before, known := l.outside[phase]
	l.mu.Unlock()
	if !known {
		return Breaches{}, nil
	}
	var found []Trespass
	var then Snapshot
	if l.Git != nil {
		var err error
		if found, then, err = l.Git.Breaches(ctx, before); err != nil {
			return Breaches{}, err
		}
	}
	state, err := l.common(ctx, commands)
	if err != nil {
		return Breaches{}, err
	}
	warnings := append(l.aboutPlan(), l.planted()...)
	l.mu.Lock()
	defer l.mu.Unlock()
	shared := l.blameOthers(phase, then, state)
	breaches := slices.Clone(l.blamed[phase])
	unattributed := shared || len(breaches) > 0
	for _, text := range state {
		if shared {
			text += besides
		}
		breaches = append(breaches, text)
		unattributed = unattributed && shared
	}
	warnings = append(warnings, l.before[phase]...)
	delete(l.blamed, phase)
	delete(l.before, phase)
	for _, t := range found {
		switch {
		// a sibling's look has found it, and it cannot be put back
		case t.Breach && slices.Contains(breaches, t.Text+besides):
		case t.Breach:
			breaches = append(breaches, t.Text)
			unattributed = unattributed && shared
		case t.Mended:
			warnings = append(warnings, l.around(t.Text))
		}
	}
	return Breaches{
		Found: bounded(breaches), Unattributed: unattributed,
		Warnings: bounded(warnings),
	}, nil
}

// blameOthers records the changes found at the end of one phase for every other running phase.
// It reports whether there was another running phase. mu is held.
func (l *Lookout) blameOthers(phase string, then Snapshot, state []string) (shared bool) {
	for other, start := range l.outside {
		if other == phase || !l.atWork[other] {
			continue
		}
		shared = true
		for _, t := range start.Trespasses(then) {
			if t.Breach {
				l.blame(other, t.Text+besides)
			}
		}
		for _, name := range state {
			l.blame(other, name+besides)
		}
	}
	return shared
}

// Around compares the environment before and after gates run these commands. Gates run the code of
// agents, and a sibling's agent may be at work.
func (l *Lookout) Around(commands []string) error {
	if l.Env == nil || len(commands) == 0 {
		return nil
	}
	l.judging.Lock()
	defer l.judging.Unlock()
	notes, err := l.Env.changed(commands...)
	l.blameAll(notes)
	if err != nil {
		return fmt.Errorf("looking at the environment of the gates: %w", err)
	}
	return nil
}

// Since describes all changes around a phase's worktree since Watch, the user's as well.
func (l *Lookout) Since(ctx context.Context, phase string) ([]string, error) {
	l.mu.Lock()
	before, known := l.outside[phase]
	l.mu.Unlock()
	if !known || l.Git == nil {
		return nil, nil
	}
	after, err := l.Git.LookAgain(ctx)
	if err != nil {
		return nil, err
	}
	return bounded(before.Diff(after)), nil
}

// Enter begins the work of a phase. It is called before its worktree is opened.
func (l *Lookout) Enter(ctx context.Context, phase string) error {
	l.judging.Lock()
	defer l.judging.Unlock()
	if err := l.entered(phase); err != nil {
		return err
	}
	var found []string
	if l.Git != nil {
		var err error
		if found, err = l.Git.line.Disturbed(ctx); err != nil {
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for other := range l.atWork {
		for _, text := range found {
			l.blame(other, text+besides)
		}
	}
	set(&l.atWork, phase, true)
	return nil
}

// End ends the session: no agent will be at work.
func (l *Lookout) End() error { return l.Env.release() }

// Rest ends the work of a phase and begins to watch its worktree, with all others that are at rest.
func (l *Lookout) Rest(ctx context.Context, phase string) error {
	l.judging.Lock()
	defer l.judging.Unlock()
	l.mu.Lock()
	delete(l.atWork, phase)
	delete(l.outside, phase)
	working := make(map[string]bool, len(l.atWork))
	for other := range l.atWork {
		working[other] = true
	}
	l.mu.Unlock()
	if len(working) == 0 {
		if err := l.Env.markAtRest(); err != nil {
			return err
		}
	}
	if l.Git == nil {
		return nil
	}
	if len(working) == 0 {
		if err := l.Git.Release(); err != nil {
			return err
		}
	}
	return l.Git.line.Rest(ctx, working)
}

// Touched describes what changed around a phase's worktree while its agent was at work. A sibling
// or the user may have done it, so no phase is blamed.
func (l *Lookout) Touched(ctx context.Context, phase string) []string {
	l.mu.Lock()
	before, known := l.outside[phase]
	l.mu.Unlock()
	if !known || l.Git == nil {
		return nil
	}
	after, err := l.Git.LookAgain(ctx)
	if err != nil {
		return nil // the landing reports what cannot be read
	}
	var notes []string
	for _, t := range before.Trespasses(after) {
		if !t.Breach { // breaches were reported already
			notes = append(notes, l.around(t.Text))
		}
	}
	return bounded(notes)
}
