package cmd

import (
	"os"
	"sync"
	"time"

	"autobuild/internal/call"

	xterm "github.com/charmbracelet/x/term"

	"autobuild/internal/config"
	"autobuild/orchestrator"
	"autobuild/render"
	"autobuild/render/term"
	"autobuild/state"
)

// How often a live screen is drawn: a pause after there is something to draw, for more to come, and once in a beat though nothing happens.
const (
	livePause = 50 * time.Millisecond
	liveBeat  = time.Second
)

// liveScreen draws a run on a terminal while it goes on. One goroutine writes: whoever has something to tell leaves it under the
// lock and goes, so a terminal that takes nothing stops nobody. As an io.Writer it stands for the terminal, and keeps what is written
// through it out of the frame.
type liveScreen struct {
	file *os.File

	mu      sync.Mutex
	view    term.Screen
	drawing bool

	wake chan struct{} // something is to be drawn; one is enough
	end  chan struct{}
	done chan struct{}
}

// wantsLive reports whether a run is to be shown by a live screen, and on which terminal. Unless it is asked for, a person has to
// sit there: CI systems and coding agents may give their children a terminal too.
func (a *Caller) wantsLive(progress string) (*os.File, bool) {
	file, ok := a.Stderr.(*os.File)
	if !ok || !xterm.IsTerminal(file.Fd()) || !a.Style(file).Cursor {
		return nil, false
	}
	if width, height, err := xterm.GetSize(file.Fd()); err != nil || width == 0 || height == 0 {
		return nil, false
	}
	switch progress {
	case config.ProgressLive:
		return file, true
	case config.ProgressAuto:
		ci := a.Environ.Get("CI")
		return file, (ci == "" || ci == "false") && a.Environ.Get("TERM") != "" && !call.OnWindows && !a.insideAgent()
	}
	return nil, false
}

// openScreen makes the live screen of a run, where it is to have one. From now on everything goes to the terminal through it.
func (s *session) openScreen() {
	if file, ok := s.wantsLive(s.o.Progress.Value); ok {
		s.screen = &liveScreen{file: file}
		s.Stderr = s.screen
	}
}

// start begins to draw.
func (l *liveScreen) start(style render.Style, dir string) {
	l.view = term.Screen{Style: style, Dir: dir}
	l.wake, l.end, l.done = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	l.mu.Lock()
	l.drawing = true
	l.mu.Unlock()
	go l.draw()
}

// stop writes what is left, and takes the frame away. It may be called again, and on nil.
func (l *liveScreen) stop() {
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

func (l *liveScreen) busy() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.drawing
}

// Event takes what happened. It always returns nil: a terminal that goes away stops no run.
func (l *liveScreen) Event(e state.Event, run *state.Run) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.view.Event(e, run)
	l.rouse()
	return nil
}

// Write shows whole lines: above the frame while there is one.
func (l *liveScreen) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.drawing {
		return l.file.Write(p)
	}
	l.view.Say(string(p))
	l.rouse()
	return len(p), nil
}

// Fd is the terminal's.
func (l *liveScreen) Fd() uintptr { return l.file.Fd() }

func (l *liveScreen) rouse() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// draw is the goroutine that writes.
func (l *liveScreen) draw() {
	defer close(l.done)
	goOn, deaf := listenContinue()
	defer deaf()
	beat := time.NewTicker(liveBeat)
	defer beat.Stop()
	pause := time.NewTimer(livePause)
	for {
		select {
		case <-l.wake:
		case <-beat.C:
		case <-goOn:
			l.forget()
		case <-l.end:
			return
		}
		// What woke this may be the clock of a process that was stopped until now: its signal is on the way.
		pause.Reset(livePause)
		for waiting := true; waiting; {
			select {
			case <-pause.C:
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

func (l *liveScreen) paint() {
	w := l.window()
	l.mu.Lock()
	b := l.view.Paint(w, time.Now())
	l.mu.Unlock()
	l.put(b)
}

// forget gives the frame up: the process was stopped, and the shell has written below it. To take the frame away before, Ctrl-Z would have
// to be caught, and what stops a process then cannot tell whether there is a shell to set it going again.
func (l *liveScreen) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.view.Forget()
}

func (l *liveScreen) put(b []byte) {
	if len(b) > 0 {
		_, _ = l.file.Write(b)
	}
}

// window asks the system, not the terminal: that would have to be read.
func (l *liveScreen) window() term.Window {
	width, height, err := xterm.GetSize(l.file.Fd())
	if err != nil {
		return term.Window{}
	}
	return term.Window{Columns: width, Rows: height, Behind: background(l.file.Fd())}
}

var _ orchestrator.Sink = (*liveScreen)(nil)
