// Package livescreen draws a run on a terminal while it goes on. One goroutine writes; all others
// change the state to draw under a lock, so a blocked terminal blocks no other goroutine. The
// package has no notion of a frame's content.
package livescreen

import (
	"os"
	"sync"
	"time"

	xterm "github.com/charmbracelet/x/term"

	"autobuild/render"
	"autobuild/render/term"
	"autobuild/state"
)

// How often a live screen is drawn: a pause after there is something to draw, for more to come, and
// once in a beat though nothing happens.
const (
	pause = 50 * time.Millisecond
	beat  = time.Second
)

// Screen is a terminal with a frame at its bottom. As an io.Writer it prints lines above the frame.
type Screen struct {
	File *os.File // the terminal
	// receives when the process goes on after it was stopped, until the function is called
	Continued func() (<-chan struct{}, func())
	Now       func() time.Time

	mu      sync.Mutex
	view    term.Screen
	drawing bool

	wake chan struct{} // something is to be drawn; one is enough
	end  chan struct{}
	done chan struct{}
}

// Start begins to draw.
func (l *Screen) Start(style render.Style, dir string) {
	l.view = term.Screen{Style: style, Dir: dir}
	l.wake, l.end, l.done = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	l.mu.Lock()
	l.drawing = true
	l.mu.Unlock()
	go l.draw()
}

// Stop writes what is left, and takes the frame away. It may be called again, and on nil.
func (l *Screen) Stop() {
	if l == nil || !l.busy() {
		return
	}
	close(l.end)
	<-l.done
	l.mu.Lock()
	l.drawing = false
	last := l.view.Clear(l.window())
	l.mu.Unlock()
	l.put(last)
}

func (l *Screen) busy() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.drawing
}

// Event takes what happened. It always returns nil: a terminal that goes away stops no run.
func (l *Screen) Event(e state.Event, run *state.Run) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.view.Event(e, run)
	l.rouse()
	return nil
}

// Write shows whole lines: above the frame while there is one.
func (l *Screen) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.drawing {
		return l.File.Write(p)
	}
	l.view.Say(string(p))
	l.rouse()
	return len(p), nil
}

// Fd is the terminal's.
func (l *Screen) Fd() uintptr { return l.File.Fd() }

func (l *Screen) rouse() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// draw is the goroutine that writes.
func (l *Screen) draw() {
	defer close(l.done)
	goOn, stop := l.Continued()
	defer stop()
	next := time.NewTimer(beat)
	defer next.Stop()
	timer := time.NewTimer(pause)
	var last time.Time // of the beats
	for {
		select {
		case <-l.wake:
		case now := <-next.C:
			// Beats fall on whole seconds, as those of children do: one wake-up serves all.
			next.Reset(beat - time.Duration(now.UnixNano()%int64(beat)))
			late := now.Sub(last) > beat+pause
			if last = now; !late {
				l.paint()
				continue
			}
		case <-goOn:
			l.forget()
		case <-l.end:
			return
		}
		// The wake-up may be the beat of a process that was stopped until now: its signal may not
		// have arrived yet.
		timer.Reset(pause)
		for waiting := true; waiting; {
			select {
			case <-timer.C:
				waiting = false
			case <-goOn:
				l.forget()
			case <-l.end:
				return
			}
		}
		l.paint()
	}
}

func (l *Screen) paint() {
	w := l.window()
	l.mu.Lock()
	b := l.view.Paint(w, l.Now())
	l.mu.Unlock()
	l.put(b)
}

// forget abandons the frame: the process was stopped, and the shell has written below it. Erasing
// the frame before would require a handler for Ctrl-Z, which would stop the process itself without
// a check that a shell will continue it.
func (l *Screen) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.view.Forget()
}

func (l *Screen) put(b []byte) {
	if len(b) > 0 {
		_, _ = l.File.Write(b)
	}
}

// window asks the system, not the terminal: that would have to be read.
func (l *Screen) window() term.Window {
	width, height, err := xterm.GetSize(l.File.Fd())
	if err != nil {
		return term.Window{}
	}
	return term.Window{Columns: width, Rows: height, Behind: background(l.File.Fd())}
}
