package cmd

import (
	"context"
	"slices"

	"autobuild/orchestrator/attempt"
)

// Watch takes the world around a phase's worktree as it is now for what it is to be.
func (l *lineSpace) Watch(ctx context.Context, phase string) error {
	l.judging.Lock()
	defer l.judging.Unlock()
	around, err := l.line.Outside(ctx)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.outside[phase] = around
	delete(l.blamed, phase)
	return nil
}

// Breaches compares with what Watch saw. While several phases are at work nobody can tell which of them it was, so all of them answer
// for what changed while they were: none that did it gets away with it, and one that did not may run again.
func (l *lineSpace) Breaches(ctx context.Context, phase string) (breaches, warnings []string, err error) {
	l.judging.Lock()
	defer l.judging.Unlock()
	l.mu.Lock()
	before, known := l.outside[phase]
	l.mu.Unlock()
	if !known {
		return nil, nil, nil
	}
	found, then, err := l.line.Breaches(ctx, before)
	if err != nil {
		return nil, nil, err
	}
	state, err := l.kept.tampered()
	if err != nil {
		return nil, nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for other, start := range l.outside {
		if other == phase {
			continue
		}
		for _, t := range start.Trespasses(then) {
			if t.Breach {
				l.blame(other, t.Text+", while several phases were at work")
			}
		}
		for _, name := range state {
			l.blame(other, name+", while several phases were at work")
		}
	}
	breaches = slices.Concat(l.blamed[phase], state)
	delete(l.blamed, phase)
	for _, t := range found {
		switch {
		case t.Breach:
			breaches = append(breaches, t.Text)
		case t.Mended:
			warnings = append(warnings, "outside its worktree, while it ran: "+t.Text)
		}
	}
	return bounded(breaches), bounded(warnings), nil
}

// blame notes a breach against a phase; the caller holds mu.
func (l *lineSpace) blame(phase, what string) {
	if l.blamed == nil {
		l.blamed = map[string][]string{}
	}
	if !slices.Contains(l.blamed[phase], what) {
		l.blamed[phase] = append(l.blamed[phase], what)
	}
}

var _ attempt.Watcher = (*lineSpace)(nil)
