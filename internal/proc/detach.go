package proc

import (
	"context"
	"errors"
	"time"
)

// ErrGone says that a process is not there any more, or that another has its number.
var ErrGone = errors.New("the process has ended")

// betweenStrokes is what a process gets to hear the first of two signals as the first.
const betweenStrokes = 100 * time.Millisecond

// pause waits, unless ctx ends before.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
