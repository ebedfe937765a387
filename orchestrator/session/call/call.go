// Package call is one call of the program: its streams, its environment, the directory and project
// in which it works, and the plan and the run that it finds there. Commands and runs write through
// it, so that each message has one form. It does not know which command is called.
package call

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	xterm "github.com/charmbracelet/x/term"

	"autobuild/internal/environ"
	"autobuild/render"
	"autobuild/render/term"
)

// Signals are the ways in which the user and the system interrupt a call.
type Signals struct {
	// Stop cancels the context at the first signal to end, with an *orchestrator.Interrupted as its
	// cause, and closes kill at the second; heard is called at the first.
	Stop func(ctx context.Context, heard func(signal string)) (_ context.Context,
		kill <-chan struct{}, stop func())
	// GoOn receives when the user does not want to wait for usage limits.
	GoOn func() (asked <-chan struct{}, stop func())
	// Continued receives when the process goes on after it was stopped.
	Continued func() (continued <-chan struct{}, stop func())
	// Quit calls do at SIGQUIT.
	Quit func(do func()) (stop func())
}

// Call is one call of the program. Every field but the streams, Environ and Dir may be zero where
// no run is started.
type Call struct {
	Stdout, Stderr io.Writer
	Environ        environ.Environ
	Args           []string // of the call
	Dir            string   // absolute: where the call was made, or -C
	Changed        bool     // dir is not where the call was made
	ConfigFile     string
	NoColor        bool
	Verbose        bool
	Signals        Signals
	Now            func() time.Time
	Exit           func(code int) // ends the program
	// called before and after every child process and state file; may be nil
	Step     func(what string) error
	Cut      error        // why not all of the answer could be written
	Said     atomic.Int64 // notes so far
	Commands []string     // their names, for suggestions
}

// LookPath reports whether a child would find the program.
func (c *Call) LookPath(program string) bool { return c.Environ.LookPath(c.Dir, program) }

// Path makes a path that the user typed absolute.
func (c *Call) Path(p string) string {
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(c.Dir, p)
}

// Physical is a directory's path without links, as git names it too: one repository has one name,
// whichever way leads to it.
func Physical(dir string) string {
	if target, err := filepath.EvalSymlinks(dir); err == nil {
		return target
	}
	return dir
}

// Program is how autobuild is called from here.
func (c *Call) Program() []string {
	if c.Changed {
		return []string{"autobuild", "-C", c.Dir}
	}
	return []string{"autobuild"}
}

// Style returns the capabilities of a stream.
func (c *Call) Style(w io.Writer) render.Style {
	t := term.Terminal{NoColor: c.NoColor, Getenv: c.Environ.Get}
	if f, ok := w.(interface{ Fd() uintptr }); ok && xterm.IsTerminal(f.Fd()) {
		t.TTY, t.Legacy = true, legacy(f.Fd())
		if width, _, err := xterm.GetSize(f.Fd()); err == nil {
			t.Columns = width
		}
	}
	s := term.StyleFor(t)
	s.Zone = time.Local
	return s
}

// Print writes what was asked for to stdout. A reader that went away is no error of ours; an answer
// that is cut short is one, at the end of the call.
func (c *Call) Print(text string) {
	if _, err := io.WriteString(answer{c.Stdout}, text); err != nil && c.Cut == nil &&
		!ReaderGone(err) {
		c.Cut = err
	}
}

// Answer is stdout for what was asked for. Its errors say what is to be done.
func (c *Call) Answer() io.Writer { return answer{c.Stdout} }

// answer is stdout for what was asked for, which says what is to be done where it could not be
// written.
type answer struct{ to io.Writer }

// Write writes, and words the error.
func (w answer) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if err != nil {
		err = fmt.Errorf(
			"the answer is not whole: %w; make room or send it elsewhere, then ask again", err)
	}
	return n, err
}

// Tell writes to stdout where the exit code describes a run and not the write: it ignores write
// errors.
func (c *Call) Tell(text string) {
	_, _ = io.WriteString(c.Stdout, text)
}

// Outputs are the files that this call's output goes to, where it was sent to files. For a run that
// will leave its caller they are the caller's: its own last output goes there too.
func (c *Call) Outputs() []fs.FileInfo {
	var files []fs.FileInfo
	for _, w := range []io.Writer{c.Stdout, c.Stderr} {
		if o, ok := w.(NoTerminal); ok {
			w = o.Writer
		}
		if f, ok := w.(*os.File); ok {
			if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
				files = append(files, info)
			}
		}
	}
	return files
}

// Note writes one line to stderr.
func (c *Call) Note(format string, args ...any) {
	c.Said.Add(1)
	_, _ = io.WriteString(c.Stderr,
		c.Style(c.Stderr).Note(fmt.Sprintf("autobuild: "+format, args...))+"\n")
}

// NoTerminal hides from what is written to whether it is a terminal: a run that will leave it draws
// nothing there and uses no colours.
type NoTerminal struct{ io.Writer }
