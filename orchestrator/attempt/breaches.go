package attempt

import (
	"context"
	"slices"
)

// watch begins to watch.
func (t *try) watch(ctx context.Context) error {
	return t.Workspace.Watch(ctx, t.id) //nolint:wrapcheck // it says what it could not look at
}

// rest ends the attempt.
func (t *try) rest(ctx context.Context) { t.Workspace.Rest(context.WithoutCancel(ctx), t.id) }

// stray looks for breaches and reports whether there are any. It runs after each child of the
// attempt, before the next program starts.
func (t *try) stray(ctx context.Context) (bool, error) {
	breaches, err := t.Workspace.Breaches(context.WithoutCancel(ctx), t.id)
	t.record.Warnings = append(t.record.Warnings, breaches.Warnings...)
	if len(breaches.Found) > 0 {
		t.seen.Unattributed = breaches.Unattributed &&
			(t.seen.Unattributed || len(t.seen.Breach) == 0)
	}
	for _, b := range breaches.Found {
		if !slices.Contains(t.seen.Breach, b) {
			t.seen.Breach = append(t.seen.Breach, b)
		}
	}
	return len(t.seen.Breach) > 0, err //nolint:wrapcheck // it says what it could not look at
}
