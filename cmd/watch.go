package cmd

import (
	"context"
	"os"
	"path/filepath"
	"time"

	xterm "github.com/charmbracelet/x/term"

	"autobuild/orchestrator"
	"autobuild/orchestrator/session/call"
	"autobuild/render/term"
	"autobuild/state"
	"autobuild/state/store"
)

// Intervals between looks at a run: a screen counts seconds, lines only report changes.
const (
	drawEvery = 500 * time.Millisecond
	tellEvery = time.Second
)

// unreadable is how often in a row the state may not be readable while it is being written, before
// that is an error.
const unreadable = 10

// watch shows where the run stands until it ends, and ends as it ended.
func (a *app) watch(ctx context.Context) error {
	p, run, parsed, err := a.LoadRun(ctx)
	if err != nil {
		return err
	}
	var seeds []state.Seed
	if parsed != nil {
		seeds = orchestrator.Seeds(parsed, 1)
	}
	ctx, _, stop := a.Signals.Stop(ctx, func(string) {})
	defer stop()
	w := watcher{app: a, project: p, height: terminalHeight(a.Stdout)}
	for failures := 0; ; {
		// asked before the state is read, so that the end is seen
		alive := store.Working(p.StateDir, p.LockDir)
		if w.newState() {
			found, _, bad := store.Load(p.StateDir, seeds)
			switch {
			case bad == nil:
				run, failures = found, 0
			case failures >= unreadable || !alive:
				return bad
			default:
				failures++
			}
		}
		w.show(run, alive)
		if !alive {
			break
		}
		if err = nap(ctx, w.every()); err != nil {
			return err
		}
	}
	run, err = a.ended(ctx, store.Holder{})
	if err != nil {
		return err
	}
	if run.End.Exit == call.ExitOK {
		return nil
	}
	return &call.ShownError{Err: &call.EndedError{Code: run.End.Exit}}
}

// watcher remembers what was shown last.
type watcher struct {
	*app
	project *call.Project
	height  func() int // of the terminal; 0: nothing can be drawn again
	rows    int
	shown   *state.Run
	seen    [2]os.FileInfo
}

func (w *watcher) every() time.Duration {
	if w.height() > 0 {
		return drawEvery
	}
	return tellEvery
}

// newState reports whether the diary or the result has changed since this was asked last: reading a
// thousand files twice a second to find them unchanged would be waste.
func (w *watcher) newState() bool {
	changed := false
	for i, name := range []string{store.DiaryName, store.ResultName} {
		info, err := os.Stat(filepath.Join(w.project.StateDir, name))
		if err != nil {
			info = nil
		}
		was := w.seen[i]
		if (info == nil) != (was == nil) || info != nil &&
			(info.Size() != was.Size() || !info.ModTime().Equal(was.ModTime())) {
			changed = true
		}
		w.seen[i] = info
	}
	return changed
}

func (w *watcher) show(run *state.Run, alive bool) {
	style, now := w.Style(w.Stdout), time.Now()
	if height := w.height(); height > 0 && style.Cursor {
		text, rows := term.Redrawn(term.Watch(run, alive, now, style, height-1), w.rows)
		w.rows = rows
		w.Print(text)
		return
	}
	switch {
	case w.shown == nil:
		w.Print(term.Status(run, w.stands(w.project, run, alive), alive, now, style, 0))
	case w.shown != run:
		w.Print(term.Changes(w.shown, run, alive, now, style))
	}
	w.shown = run
}

// terminalHeight measures the window that a stream goes to; 0 where it goes to none.
func terminalHeight(stream any) func() int {
	f, ok := stream.(*os.File)
	if !ok || !xterm.IsTerminal(f.Fd()) {
		return func() int { return 0 }
	}
	return func() int {
		_, height, err := xterm.GetSize(f.Fd())
		if err != nil {
			return 0
		}
		return height
	}
}
