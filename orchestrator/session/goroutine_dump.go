package session

import (
	"path"
	"runtime"

	"autobuild/internal/text"
	"autobuild/orchestrator/session/call"
	"autobuild/render"
)

// maxStacks bounds what is written about goroutines, in bytes.
const maxStacks = 64 << 20

// quit handles SIGQUIT: it writes what every goroutine does into a log, to stderr where that cannot
// be written, and ends the program at once, since the user sends that signal to find out why
// nothing goes on. For the stored state that is a crash, and each supervisor kills its child.
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
		s.Note("SIGQUIT: what every goroutine did is in %s; the agents are killed; %s --resume "+
			"goes on",
			path.Join(s.Shown(s.project.StateDir), name),
			render.Command(append(s.Program(), s.planArg())))
	}
	s.Exit(call.ExitQuit)
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
