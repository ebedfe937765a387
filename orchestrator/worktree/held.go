package worktree

import "context"

// Hold takes the content of a phase's clone for what lands, whatever changes there from now on: a
// reviewer works in it. Free and Open end the hold.
func (l *Line) Hold(ctx context.Context, t Tree) error {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return err
	}
	defer release()
	c, err := l.readOnce(ctx, t)
	if err != nil {
		return err
	}
	if l.held == nil {
		l.held = map[string]content{}
	}
	l.held[t.Phase] = c
	return nil
}

// Free lets the clone of a phase change again.
func (l *Line) Free(ctx context.Context, phase string) {
	if release, err := take(ctx, l.refsLock); err == nil {
		delete(l.held, phase)
		release()
	}
}

// Breaches are the changes of the run's own git directory since the last call, which were put back.
func (l *Line) Breaches() ([]string, error) {
	err := l.scratch.VerifyPinned()
	return l.scratch.Breaches(), err
}
