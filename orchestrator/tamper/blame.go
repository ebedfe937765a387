package tamper

import "slices"

// entered compares the environment before a phase's worktree is opened; the caller holds judging. A
// change while no phase is at work is put back and reported.
func (l *Lookout) entered(phase string) error {
	if l.Env != nil && !l.Env.Begun {
		l.Env.Begun = true
		return l.Env.settle() // only the user's own gates and setup have run
	}
	notes, err := l.Env.changed()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, text := range notes {
		if len(l.atWork) == 0 {
			set(&l.before, phase, append(l.before[phase], "before it began, "+text))
		}
		for other := range l.atWork {
			l.blame(other, text+besides)
		}
	}
	return err
}

// Opened notes whether a phase's worktree holds no agent's work.
func (l *Lookout) Opened(phase string, fresh bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	set(&l.fresh, phase, fresh)
}

// prepared compares the environment after the setup of a worktree; the caller holds judging. It
// accepts the changes of autobuild's own commands while no agent is at work and the worktree holds
// no agent's work.
func (l *Lookout) prepared(phase string) error {
	l.mu.Lock()
	adopts := len(l.outside) == 0 && l.fresh[phase]
	l.mu.Unlock()
	if adopts {
		return l.Env.settle()
	}
	notes, err := l.Env.changed()
	l.blameAll(notes)
	return err
}

// blameAll adds breaches to all phases at work.
func (l *Lookout) blameAll(notes []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, text := range notes {
		if len(l.atWork) > 1 {
			text += besides
		}
		for phase := range l.atWork {
			l.blame(phase, text)
		}
	}
}

// blame adds a breach to a phase; the caller holds mu.
func (l *Lookout) blame(phase, what string) {
	if !slices.Contains(l.blamed[phase], what) {
		set(&l.blamed, phase, append(l.blamed[phase], what))
	}
}

// set sets a value in a map that may be nil.
func set[V any](m *map[string]V, key string, v V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[key] = v
}
