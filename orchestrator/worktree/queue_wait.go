package worktree

import "context"

// Ahead waits until no candidate stands before a phase's: each has landed or was given up.
func (l *Line) Ahead(ctx context.Context, phase string) error {
	for {
		release, err := take(ctx, l.refsLock)
		if err != nil {
			return err
		}
		if l.queue.at(phase) <= 0 {
			release()
			return nil
		}
		if l.queue.changed == nil {
			l.queue.changed = make(chan struct{})
		}
		changed := l.queue.changed
		release()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Drop takes a phase's candidate out of the queue. An attempt that ends does so.
func (l *Line) Drop(phase string) {
	l.refsLock <- struct{}{}
	defer func() { <-l.refsLock }()
	l.queue.drop(phase)
}
