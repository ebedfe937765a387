package verify

import (
	"context"
	"slices"
	"sync"
)

// Limit lets only so many suites of gates run at once. The longest waiting caller is next.
type Limit struct {
	mu      sync.Mutex
	room    int             // that is left; negative after a Resize, until suites have ended
	size    int             // room in all
	waiting []chan struct{} // in the order in which they came; closed when it is their turn
}

// NewLimit makes room for n suites, at least one.
func NewLimit(n int) *Limit { return &Limit{room: max(n, 1), size: max(n, 1)} }

// Resize makes room for n suites, at least one. Suites that run already go on.
func (l *Limit) Resize(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.room += max(n, 1) - l.size
	l.size = max(n, 1)
	l.next()
}

// next gives room to those that wait; mu is held.
func (l *Limit) next() {
	for l.room > 0 && len(l.waiting) > 0 {
		close(l.waiting[0])
		l.room, l.waiting = l.room-1, l.waiting[1:]
	}
}

func (l *Limit) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.room++
	l.next()
}

// Take waits for room, calling waiting first where there is none, and gives the way to make room
// again, which must be called once. The error is ctx's cause.
func (l *Limit) Take(ctx context.Context, waiting func()) (done func(), err error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	turn := make(chan struct{})
	l.mu.Lock()
	l.waiting = append(l.waiting, turn)
	l.next()
	l.mu.Unlock()
	select {
	case <-turn:
		return l.leave, nil
	default:
	}
	waiting()
	select {
	case <-turn:
		return l.leave, nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.waiting, turn)
	if i < 0 { // its turn came at the same time
		l.room++
		l.next()
		return nil, context.Cause(ctx)
	}
	l.waiting = slices.Delete(l.waiting, i, i+1)
	return nil, context.Cause(ctx)
}
