package cmd

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"

	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/worktree"
	"autobuild/plan"
	"autobuild/plan/markdown"
	"autobuild/render"
)

// lookout watches what lies around the places where phases work.
type lookout struct {
	line   *worktree.Line          // nil: there is no git
	kept   *keptState              // nil: nobody looks
	plan   func() (changed string) // what became of the plan since the run began, in words; empty: nothing
	knows  func() []string         // new commands of the knowledge file; nil: not checked
	env    *gateEnvironment        // nil: nobody looks
	shared bool                    // phases have no worktrees of their own

	judging sync.Mutex // one look for breaches at a time
	told    bool       // that the plan has changed

	mu      sync.Mutex
	atWork  map[string]bool              // phases from Open to the end of their attempt
	outside map[string]worktree.Snapshot // phase → the world around its worktree when its agent began
	fresh   map[string]bool              // phases whose worktree holds no agent's work yet
	before  map[string][]string          // phase → what had changed in the environment when it was opened
	blamed  map[string][]string          // phase → breaches that were found while it was one of several at work
}

// Watch takes the world around a phase's worktree as it is now for what it is to be. The first of those that work at the same time
// has it written down, for the case that nobody is left to compare.
func (l *lookout) Watch(ctx context.Context, phase string) error {
	l.judging.Lock()
	defer l.judging.Unlock()
	l.mu.Lock()
	alone := len(l.atWork) == 0 || len(l.atWork) == 1 && l.atWork[phase]
	delete(l.blamed, phase)
	l.mu.Unlock()
	if err := l.prepared(phase); err != nil {
		return err
	}
	if err := l.env.hold(); err != nil {
		return err
	}
	var around worktree.Snapshot
	if l.line != nil {
		var err error
		if around, err = l.line.Outside(ctx); err != nil {
			return err
		}
		if alone {
			if err = l.line.Hold(around); err != nil {
				return err
			}
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	note(&l.outside, phase, around)
	note(&l.atWork, phase, true)
	return nil
}

// Breaches compares with what Watch saw. While several phases are at work nobody can tell which
// of them it was, so all of them answer for what changed while they were: each of them runs once
// more, alone, and who does it again has done it.
func (l *lookout) Breaches(ctx context.Context, phase string) (attempt.Breaches, error) {
	l.judging.Lock()
	defer l.judging.Unlock()
	l.mu.Lock()
	before, known := l.outside[phase]
	l.mu.Unlock()
	if !known {
		return attempt.Breaches{}, nil
	}
	var found []worktree.Trespass
	var then worktree.Snapshot
	if l.line != nil {
		var err error
		if found, then, err = l.line.Breaches(ctx, before); err != nil {
			return attempt.Breaches{}, err
		}
	}
	state, err := l.common(ctx)
	if err != nil {
		return attempt.Breaches{}, err
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
		case t.Breach && slices.Contains(breaches, t.Text+besides): // a sibling has seen it too, and it cannot be put back
		case t.Breach:
			breaches = append(breaches, t.Text)
			unattributed = unattributed && shared
		case t.Mended:
			warnings = append(warnings, l.around(t.Text))
		}
	}
	return attempt.Breaches{Found: bounded(breaches), Unattributed: unattributed, Warnings: bounded(warnings)}, nil
}

// planted says once of each command that came into the knowledge file. judging is held.
func (l *lookout) planted() []string {
	if l.knows == nil {
		return nil
	}
	return l.knows()
}

// aboutPlan says once that the plan has changed. judging is held.
func (l *lookout) aboutPlan() []string {
	if l.plan == nil || l.told {
		return nil
	}
	changed := l.plan()
	if changed == "" {
		return nil
	}
	l.told = true
	return []string{"while it ran, " + changed}
}

// blameOthers records the changes found at the end of one phase for every other running phase.
// It reports whether there was another running phase. mu is held.
func (l *lookout) blameOthers(phase string, then worktree.Snapshot, state []string) (shared bool) {
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

// besides is said of what all phases answer for.
const besides = ", while several phases were at work"

// common is what is compared with one memory for all phases: autobuild's own files, and worktrees that nobody works in.
func (l *lookout) common(ctx context.Context) ([]string, error) {
	found, err := l.kept.tampered()
	if err == nil {
		var changed []string
		changed, err = l.env.changed()
		found = append(found, changed...)
	}
	if err != nil || l.line == nil {
		return found, err
	}
	resting, err := l.line.Disturbed(ctx)
	return append(found, resting...), err
}

// enter is called before a phase's worktree is opened, in which nobody but it works from now on.
func (l *lookout) enter(ctx context.Context, phase string) error {
	l.judging.Lock()
	defer l.judging.Unlock()
	if err := l.entered(phase); err != nil {
		return err
	}
	var found []string
	if l.line != nil {
		var err error
		if found, err = l.line.Disturbed(ctx); err != nil {
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
	note(&l.atWork, phase, true)
	return nil
}

// Rest begins to watch the worktree that the phase leaves, and all others in which nobody works.
func (l *lookout) Rest(ctx context.Context, phase string) error {
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
		if err := l.env.release(); err != nil {
			return err
		}
	}
	if l.line == nil {
		return nil
	}
	if len(working) == 0 {
		if err := l.line.Release(); err != nil {
			return err
		}
	}
	return l.line.Rest(ctx, working)
}

// touched says what changed around a phase's place while its agent was at work. A sibling or the user may have done it, so it is told
// and held against nobody.
func (l *lookout) touched(ctx context.Context, phase string) []string {
	l.mu.Lock()
	before, known := l.outside[phase]
	l.mu.Unlock()
	if !known || l.line == nil {
		return nil
	}
	after, err := l.line.Outside(ctx)
	if err != nil {
		return nil // what cannot be read now says so when the work lands
	}
	var notes []string
	for _, t := range before.Trespasses(after) {
		if !t.Breach { // one that is has been told already
			notes = append(notes, l.around(t.Text))
		}
	}
	return bounded(notes)
}

// around words what is told and held against nobody.
func (l *lookout) around(text string) string {
	if l.shared {
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

// blame notes a breach against a phase; the caller holds mu.
func (l *lookout) blame(phase, what string) {
	if !slices.Contains(l.blamed[phase], what) {
		note(&l.blamed, phase, append(l.blamed[phase], what))
	}
}

// note sets a value in a map that may have to be made first.
func note[V any](m *map[string]V, key string, v V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[key] = v
}

// planChanged says which phases of the plan are not any more what they were when it was read. Boxes that were ticked are no change.
func (s *session) planChanged() string {
	info, err := os.Stat(s.path)
	if err == nil && s.seen != nil && os.SameFile(info, s.seen) && info.ModTime().Equal(s.seen.ModTime()) && info.Size() == s.seen.Size() {
		return "" // a large plan takes a while to read
	}
	s.seen = info
	var now *plan.Plan
	src, err := readBounded(s.path, maxPlan)
	if err == nil {
		now, err = markdown.Parse(s.path, src, markdown.Options{Dialect: s.o.dialect})
	}
	if err == nil && s.o.serialize {
		now, err = plan.Serialize(now)
	}
	if err != nil {
		return "the plan was changed and cannot be read any more: " + render.Clean(err.Error(), 200) + "; phases go by what it said at the start"
	}
	var labels []string
	for _, p := range s.plan.Phases() {
		if is, ok := now.Find(p.ID); !ok || is.Fingerprint != p.Fingerprint {
			labels = append(labels, p.Label)
		}
	}
	if len(labels) == 0 && now.Len() == s.plan.Len() {
		return ""
	}
	text := "the plan was changed"
	if len(labels) > 0 {
		text += " at " + few(labels)
	}
	return text + "; phases go by what it said at the start"
}

var (
	_ attempt.Watcher = (*lineSpace)(nil)
	_ attempt.Watcher = (*sharedSpace)(nil)
)
