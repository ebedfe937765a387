package attempt

import (
	"context"
	"slices"

	"autobuild/state"
)

// Watcher is a Workspace that knows what lies around its trees. What an agent, or a gate that runs
// its code, does there is held against the attempt.
type Watcher interface {
	// Watch takes what lies outside as it is now for what it is to be: a phase's setup may change
	// it.
	Watch(ctx context.Context, phase string) error
	// Breaches reports what was touched since Watch and restores what it can. The libraries that
	// the commands load are compared too.
	Breaches(ctx context.Context, phase string, commands []string) (Breaches, error)
	// Rest says that the attempt has ended: what changes in the phase's tree from now on, before it
	// is opened again, is not its work.
	Rest(ctx context.Context, phase string) error
}

// Breaches is what a look around an attempt's tree has found.
type Breaches struct {
	// what was touched that nobody but a child of the run touches, each thing once, in words
	Found []string
	// all of it was found while other phases were at work too: one of those may have done it
	Unattributed bool
	Warnings     []string // what else was taken back
}

// watch begins to watch.
func (t *try) watch(ctx context.Context) error {
	if w, ok := t.Workspace.(Watcher); ok {
		return w.Watch(ctx, t.id) //nolint:wrapcheck // it says what it could not look at
	}
	return nil
}

// rest ends the watch. That it could not look once more at what stays is not worth more than the
// attempt's own end.
func (t *try) rest(ctx context.Context) {
	w, ok := t.Workspace.(Watcher)
	if !ok {
		return
	}
	if err := w.Rest(context.WithoutCancel(ctx), t.id); err != nil {
		t.report(state.Event{Type: state.Notice, Text: "the worktree of phase " + t.task.Phase.Label + " is not watched while it rests: " + err.Error()})
	}
}

// stray looks for breaches and reports whether there are any. It runs after each child of the
// attempt, before the next program starts. The libraries of gates are compared after the last one.
func (t *try) stray(ctx context.Context, gates []state.GateSpec) (bool, error) {
	w, ok := t.Workspace.(Watcher)
	if !ok {
		return false, nil
	}
	commands := make([]string, len(gates))
	for i, g := range gates {
		commands[i] = g.Command
	}
	breaches, err := w.Breaches(context.WithoutCancel(ctx), t.id, commands)
	t.record.Warnings = append(t.record.Warnings, breaches.Warnings...)
	if len(breaches.Found) > 0 {
		t.seen.Unattributed = breaches.Unattributed && (t.seen.Unattributed || len(t.seen.Breach) == 0)
	}
	for _, b := range breaches.Found {
		if !slices.Contains(t.seen.Breach, b) {
			t.seen.Breach = append(t.seen.Breach, b)
		}
	}
	return len(t.seen.Breach) > 0, err //nolint:wrapcheck // it says what it could not look at
}
