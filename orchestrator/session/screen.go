package session

import (
	"os"

	xterm "github.com/charmbracelet/x/term"

	"autobuild/internal/call"
	"autobuild/internal/config"
	"autobuild/internal/livescreen"
)

// WantsLive reports whether a run is to be shown by a live screen, and on which terminal. Unless it
// is asked for, a person has to sit there: CI systems and coding agents may give their children a
// terminal too.
func (a *Caller) WantsLive(progress string) (*os.File, bool) {
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

// openScreen makes the live screen of a run, where it is to have one. From now on everything goes
// to the terminal through it.
func (s *session) openScreen() {
	if file, ok := s.WantsLive(s.o.Progress.Value); ok {
		s.screen = &livescreen.Screen{File: file, Continued: s.Signals.Continued, Now: s.Now}
		s.Stderr = s.screen
	}
}
