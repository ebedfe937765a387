package verify

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// At most so many at once, and first come, first served.
func TestLimit(t *testing.T) {
	for _, room := range []int{1, 3} {
		synctest.Test(t, func(t *testing.T) {
			const suites = 20
			l := NewLimit(room)
			var mu sync.Mutex
			var order, waited []int
			running, most := 0, 0
			note := func(what func()) {
				mu.Lock()
				defer mu.Unlock()
				what()
			}
			for i := range suites {
				go func() {
					done, err := l.Take(t.Context(), func() { note(func() { waited = append(waited, i) }) })
					if err != nil {
						t.Error(err)
						return
					}
					note(func() { order, running = append(order, i), running+1; most = max(most, running) })
					time.Sleep(time.Minute)
					note(func() { running-- })
					done()
				}()
				synctest.Wait()
			}
			time.Sleep(suites * time.Minute)
			synctest.Wait()
			if most != room || len(order) != suites || room == 1 && !slices.IsSorted(order) {
				t.Errorf("%d at once where %d may be, in the order %v", most, room, order)
			}
			if len(waited) != suites-room {
				t.Errorf("%d waited, want all but the first %d", len(waited), room)
			}
		})
	}
}

// A caller that is stopped while waiting takes no slot.
func TestLimitStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, why := NewLimit(0), errors.New("stopped")
		done, err := l.Take(t.Context(), func() { t.Error("the first has to wait") })
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancelCause(t.Context())
		var got error
		go func() { _, got = l.Take(ctx, func() {}) }()
		synctest.Wait()
		stop(why)
		synctest.Wait()
		if !errors.Is(got, why) {
			t.Errorf("stopped while waiting: %v", got)
		}
		if _, got = l.Take(ctx, func() {}); !errors.Is(got, why) {
			t.Errorf("stopped before: %v", got)
		}
		done()
		again, err := l.Take(t.Context(), func() { t.Error("room was lost") })
		if err != nil {
			t.Fatal(err)
		}
		again()
	})
}

// More room lets those in that wait; less lets none in until enough have left.
func TestLimitResize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimit(1)
		var mu sync.Mutex // of what several goroutines write at one instant
		running := 0
		var leave []func()
		for range 6 {
			go func() {
				done, err := l.Take(t.Context(), func() {})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				running++
				leave = append(leave, done)
			}()
			synctest.Wait()
		}
		for _, c := range []struct{ size, leaves, running int }{{1, 0, 1}, {3, 0, 3}, {2, 1, 2}, {2, 1, 2}, {0, 1, 1}, {1, 1, 1}, {1, 1, 1}} {
			l.Resize(c.size)
			for range c.leaves {
				mu.Lock()
				running--
				first := leave[0]
				leave = leave[1:]
				mu.Unlock()
				first()
			}
			synctest.Wait()
			mu.Lock()
			now := running
			mu.Unlock()
			if now != c.running {
				t.Errorf("%+v: %d run", c, now)
			}
		}
	})
}
