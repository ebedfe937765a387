package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"autobuild/internal/proc"
	"autobuild/internal/safefile"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"autobuild/render"
	"autobuild/state"
	"autobuild/state/store"
)

func (a *app) logsCommand() *cobra.Command {
	var attempt int
	var follow bool
	c := &cobra.Command{
		Use: "logs [PHASE]",
		Short: "Print what an agent said and what the gates printed; without a phase, what the " +
			"run said",
		Long: `Prints the log of a phase's latest attempt, the agent's first and then those of the gates. Without a phase it prints what
the run itself has said: the output of one that was started with --detach, else its log. With -f it goes on printing until
the attempt, or the run, has ended. Logs are safe to print: what an agent did to move the cursor stands there as text.`,
		Example: `  autobuild logs 2A               its latest attempt
  autobuild logs 2A --attempt 1   the first one
  autobuild logs 2A -f            while it works
  autobuild logs -f               what the run says`,
		Args:              onePhaseAtMost,
		ValidArgsFunction: a.completePhases,
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.attach(c.Context()); err != nil {
				return err
			}
			if len(args) == 0 {
				if attempt != 0 {
					return call.Usage("--attempt is one of a phase's, and no phase is named",
						"for example: autobuild logs 2A --attempt 1")
				}
				return a.printOutput(c.Context(), follow)
			}
			p, run, _, err := a.LoadRun(c.Context())
			if err != nil {
				return err
			}
			phase, err := call.FindPhase(run, args[0])
			if err != nil {
				return err
			}
			return a.printLogs(c.Context(), p, phase, attempt, follow)
		},
	}
	c.Flags().IntVar(&attempt, "attempt", 0, "of this attempt (default: the latest)")
	c.Flags().BoolVarP(&follow, "follow", "f", false,
		"go on printing until the attempt, or the run, has ended")
	return c
}

// onePhaseAtMost wants a phase or nothing.
func onePhaseAtMost(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return onePhase(c, args)
}

// onePhase wants exactly one argument.
func onePhase(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return call.Usage(fmt.Sprintf("%s takes one phase, not %d arguments", c.CommandPath(),
			len(args)), "for example: "+c.CommandPath()+" 2A")
	}
	return nil
}

// printOutput prints what the run here has said.
func (a *app) printOutput(ctx context.Context, follow bool) error {
	p, err := a.OpenProject(ctx, &proc.Runner{}, nil)
	if err != nil {
		return err
	}
	path := saidIn(p)
	if !safefile.Exists(path) {
		return call.NoState(p)
	}
	if follow {
		return a.followLog(ctx, p, path, func() bool { return false })
	}
	return a.copyFile(path)
}

// executionLog is the log of a run for people.
const executionLog = "execution.log"

// saidIn is the file with what the latest session has said: its output where it was detached, else
// the log for people. A detached session writes its last screen when the log is closed, so behind
// the end the later file is the one.
func saidIn(p *call.Project) string {
	logs := filepath.Join(p.StateDir, "logs")
	log, output := filepath.Join(logs, executionLog), ""
	entries, _ := os.ReadDir(logs) // where there are none, the log is missed
	for _, e := range entries {
		// they sort by time
		if strings.HasPrefix(e.Name(), "run-") && strings.HasSuffix(e.Name(), ".out") {
			output = filepath.Join(logs, e.Name())
		}
	}
	if holder, held := store.Held(p.StateDir, p.LockDir); held && holder.PID != 0 {
		if slices.Contains(holder.Chosen, config.DetachedFlag) {
			return output
		}
		return log
	}
	written, err := os.Stat(output)
	last, missing := os.Stat(log)
	if err == nil && (missing != nil || !last.ModTime().After(written.ModTime())) {
		return output
	}
	return log
}

// printLogs prints the agent's log and then those of the gates. They were made safe to print when
// they were written.
func (a *app) printLogs(
	ctx context.Context, p *call.Project, phase *state.Phase, attempt int, follow bool,
) error {
	if attempt == 0 {
		attempt = max(1, len(phase.Attempts))
	}
	logs := filepath.Join(p.StateDir, "logs")
	main := filepath.Join(logs, fmt.Sprintf("phase-%s.%d.log", phase.ID, attempt))
	begun := attempt < len(phase.Attempts) ||
		attempt == len(phase.Attempts) && phase.Status != state.Running
	toCome := follow && !begun && phase.Status != state.Complete &&
		store.Working(p.StateDir, p.LockDir)
	if !safefile.Exists(main) && !toCome {
		return fmt.Errorf(
			"there is no log of attempt %d of phase %s in %s; see autobuild status for what has run",
			attempt, phase.Label, a.Shown(logs))
	}
	if follow {
		watch := attemptWatch{p: p, phase: phase, attempt: attempt}
		if err := a.followLog(ctx, p, main, watch.ended); err != nil {
			return err
		}
		phase = watch.phase
	} else if err := a.copyFile(main); err != nil {
		return err
	}
	for _, name := range gateLogs(phase, attempt) {
		a.Print("\n==> " + filepath.Base(name) + " <==\n")
		path := filepath.Join(p.StateDir, filepath.FromSlash(name))
		if info, err := os.Stat(path); err == nil && info.Size() == 0 {
			a.Print("(nothing was printed)\n")
		}
		if err := a.copyFile(path); err != nil {
			return err
		}
	}
	return nil
}

// gateLogs are the logs of the gates of one attempt, in the order in which they ran.
func gateLogs(phase *state.Phase, attempt int) []string {
	var names []string
	for _, a := range phase.Attempts {
		for _, g := range a.Gates {
			if a.N == attempt && g.Log != "" {
				names = append(names, g.Log)
			}
		}
	}
	return names
}

func (a *app) copyFile(path string) error {
	_, err := a.copyFrom(path, 0)
	return err
}

// followEvery is how often a log is looked at while it grows.
const followEvery = 200 * time.Millisecond

// followLog prints a log, and what is added to it, until ended reports true or the run here ends.
// It waits for a log that does not exist yet.
func (a *app) followLog(
	ctx context.Context, p *call.Project, path string, ended func() bool,
) error {
	ctx, _, stop := a.Signals.Stop(ctx, func(string) {})
	defer stop()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = awaitRun(ctx, p) // a run that cannot be waited for is none to follow
	}()
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	var at int64
	for over := false; ; {
		over = ended() || over // asked before the log is read, so that its last words are printed
		var err error
		at, err = a.copyFrom(path, at)
		switch {
		case call.ReaderGone(err):
			return nil // the reader has seen enough
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return err
		}
		if over {
			return nil
		}
		select {
		case <-tick.C:
		case <-gone:
			over = true
		case <-ctx.Done():
			return nil
		}
	}
}

// attemptWatch knows whether an attempt goes on, and asks the disk only when the phase has changed
// there.
type attemptWatch struct {
	p       *call.Project
	phase   *state.Phase
	attempt int
	seen    fs.FileInfo
}

func (w *attemptWatch) ended() bool {
	info, err := os.Stat(filepath.Join(w.p.StateDir,
		filepath.FromSlash(store.PhasePath(w.phase.ID))))
	if err != nil {
		return false // it has not begun
	}
	if w.seen == nil || !os.SameFile(info, w.seen) || !info.ModTime().Equal(w.seen.ModTime()) {
		run, _, err := store.Load(w.p.StateDir, nil)
		if err != nil {
			return true
		}
		if phase, ok := run.Find(w.phase.ID); ok {
			w.phase, w.seen = phase, info
		}
	}
	n := len(w.phase.Attempts)
	return n > w.attempt || n == w.attempt && w.phase.Status != state.Running
}

// copyFrom prints what a file has beyond at, and returns how far it has come. A file that has
// shrunk was replaced, and is printed anew.
func (a *app) copyFrom(path string, at int64) (int64, error) {
	f, err := safefile.Open(path)
	if err != nil {
		return at, err
	}
	defer f.Close() //nolint:errcheck // opened for reading
	info, err := f.Stat()
	if err != nil {
		return at, err
	}
	if info.Size() < at {
		at = 0
	}
	if _, err = f.Seek(at, io.SeekStart); err != nil {
		return at, err
	}
	to := a.Answer()
	if filepath.Base(path) == executionLog { // autobuild's own text; agents' logs stay as is
		to = &lineSpeller{to: to, style: a.Style(a.Stdout)}
	}
	n, err := io.Copy(to, f)
	return at + n, err
}

// lineSpeller writes the whole lines of what it gets, spelled for a style. The log ends with a
// whole line.
type lineSpeller struct {
	to    io.Writer
	style render.Style
	rest  []byte // of a line that is not whole yet
}

// Write takes all of p, or what was written before an error.
func (w *lineSpeller) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	end := bytes.LastIndexByte(w.rest, '\n') + 1
	if end == 0 {
		return len(p), nil
	}
	_, err := io.WriteString(w.to, w.style.Spelled(string(w.rest[:end])))
	w.rest = w.rest[end:]
	if err != nil {
		return 0, err
	}
	return len(p), nil
}
