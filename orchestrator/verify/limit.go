package verify

import "context"

// Limit lets only so many suites of gates run at once. The longest waiting caller is next.
type Limit struct {
	room chan struct{} // senders are served in the order in which they came
}

// NewLimit makes room for n suites, at least one.
func NewLimit(n int) *Limit { return &Limit{room: make(chan struct{}, max(n, 1))} }

// Take waits for room, calling waiting first where there is none, and gives the way to make room
// again, which must be called once. The error is ctx's cause.
func (l *Limit) Take(ctx context.Context, waiting func()) (done func(), err error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	select {
	case l.room <- struct{}{}:
		return func() { <-l.room }, nil
	default:
	}
	waiting()
	select {
	case l.room <- struct{}{}:
		return func() { <-l.room }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
