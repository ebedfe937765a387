package activities

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"autobuild/internal/safefile"

	"autobuild/temporal/dataplane"
)

// tailing pushes the end of the attempt's log while it grows, once a heartbeat, until stop is
// called. It is best effort: the whole log is in the attempt's record.
func (v *visit) tailing(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() {
		tick := time.NewTicker(v.every())
		defer tick.Stop()
		ref := dataplane.TailRef(v.errand.Run, v.errand.Phase)
		var shown int64
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				if shown > 0 {
					_ = v.Mirror.Push(context.WithoutCancel(ctx), v.Mirror.Git, nil, ":"+ref)
				}
				return
			}
			t, size := v.end()
			if size == shown {
				continue
			}
			commit, err := t.Write(ctx, v.Mirror.Git)
			if err != nil || v.Mirror.Push(ctx, v.Mirror.Git, nil, "+"+commit+":"+ref) != nil {
				continue
			}
			shown = size
			v.beat.tail(commit)
		}
	})
	return func() {
		cancel()
		group.Wait()
	}
}

// end is the end of the attempt's log, and how long that is.
func (v *visit) end() (t dataplane.Tail, size int64) {
	t.Log = fmt.Sprintf("phase-%s.%d.log", v.errand.Phase, v.errand.Attempt)
	t.Worker = v.Name
	f, err := safefile.Open(filepath.Join(v.stateDir, "logs", t.Log))
	if err != nil {
		return t, 0
	}
	defer f.Close() //nolint:errcheck // read from
	info, err := f.Stat()
	if err != nil {
		return t, 0
	}
	t.At = max(0, info.Size()-dataplane.MaxTail)
	text := make([]byte, info.Size()-t.At)
	n, err := f.ReadAt(text, t.At)
	if err != nil && !errors.Is(err, io.EOF) {
		return t, 0
	}
	t.Text = string(text[:n])
	return t, info.Size()
}
