package cmd

import (
	"os"
	"os/signal"
	"path"
	"runtime"

	"autobuild/internal/call"

	"autobuild/internal/text"
	"autobuild/render"
)

// maxStacks bounds what is written about goroutines, in bytes.
const maxStacks = 64 << 20

// tellOnQuit writes, at SIGQUIT, what every goroutine does into a log, and ends the program there and then: whoever sends it wants
// to know why nothing goes on. To the state that is a crash, and supervisors kill what they watch. A second one, should the first
// get nowhere, is Go's own.
func (s *session) tellOnQuit() (stop func()) {
	strokes, done := make(chan os.Signal, 1), make(chan struct{})
	if len(call.QuitSignals) > 0 { // none at all would mean every signal
		signal.Notify(strokes, call.QuitSignals...)
	}
	go func() {
		select {
		case <-strokes:
		case <-done:
			return
		}
		signal.Reset(call.QuitSignals...)
		s.quit()
	}()
	return func() {
		signal.Stop(strokes)
		close(done)
	}
}

// quit ends the program with a log of its goroutines; where that cannot be written, they go to stderr.
func (s *session) quit() {
	content := stacks()
	f, name, err := s.dir.Log("goroutines.txt")
	if err == nil {
		_, err = f.Write(content)
	}
	if err != nil {
		s.Note("SIGQUIT: %s; what every goroutine does is here:", text.Clean(err.Error(), 300))
		_, _ = s.Stderr.Write(content)
	} else {
		s.Note("SIGQUIT: what every goroutine did is in %s; the agents are killed; %s --resume goes on",
			path.Join(s.Shown(s.project.StateDir), name), render.Command(append(s.Program(), s.planArg())))
	}
	os.Exit(call.ExitQuit)
}

// stacks are the stacks of all goroutines.
func stacks() []byte {
	for size := 1 << 20; ; size *= 2 {
		buf := make([]byte, size)
		if n := runtime.Stack(buf, true); n < size || size >= maxStacks {
			return buf[:n]
		}
	}
}
