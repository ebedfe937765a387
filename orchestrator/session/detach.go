package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"autobuild/internal/call"
	"autobuild/internal/config"
	"autobuild/internal/proc"
	"autobuild/internal/text"
	"autobuild/orchestrator"
	"autobuild/render"
)

// leave is what a detached run says when it has taken the lock and leaves its caller.
type leave struct {
	RunID  string `json:"run_id"`
	PID    int    `json:"pid"`
	Plan   string `json:"plan"`
	Output string `json:"output"` // where it writes from now on
}

// detach starts the call once more in a session of its own, and stays until that has the lock and
// all that can be wrong beforehand is known not to be. Until then its words and its exit code are
// this call's.
func (a *Caller) detach(ctx context.Context, o *config.Options) error {
	if o.DryRun {
		return call.Usage("--detach runs the plan and --dry-run does not", "give one of them")
	}
	out, _ := a.Stdout.(*os.File)
	errs, _ := a.Stderr.(*os.File)
	child, err := proc.Detach(append([]string{"--" + config.DetachedFlag}, a.Args...), a.Environ, out, errs)
	if errors.Is(err, errors.ErrUnsupported) {
		return errors.New("--detach is not possible on this system: a run that has left its console could not be asked to end; leave --detach out and use another window")
	}
	if err != nil {
		return fmt.Errorf("detaching: %w", err)
	}
	defer child.Line.Close() //nolint:errcheck // read from
	ctx, kill, deaf := a.Signals.Stop(ctx, func(string) {})
	defer deaf()
	heard := make(chan []byte, 1)
	go func() {
		said, _ := io.ReadAll(io.LimitReader(child.Line, 1<<20)) // missing data is noticed below
		heard <- said
	}()
	var said []byte
	for stopped := ctx.Done(); said == nil; {
		select {
		case said = <-heard:
			said = append([]byte{' '}, said...) // it may have said nothing
		case <-stopped:
			stopped = nil
			child.Stop(false)
		case <-kill:
			kill = nil
			child.Stop(true)
		}
	}
	var l leave
	if json.Unmarshal(said, &l) != nil {
		return beforeLeave(ctx, child)
	}
	a.tellDetached(l, o)
	return nil
}

// beforeLeave is how a process ended that was to detach and did not.
func beforeLeave(ctx context.Context, child *proc.Detached) error {
	code, signal, err := child.Wait()
	i, interrupted := errors.AsType[*orchestrator.Interrupted](context.Cause(ctx))
	switch {
	case err != nil:
		return err
	case interrupted:
		return &call.ShownError{Err: i}
	case signal != "":
		return fmt.Errorf("the run was ended by %s before it began; nothing was started, so the same call may be made again", signal)
	}
	return &call.ShownError{Err: &call.EndedError{Code: code}}
}

// tellDetached says what runs now and how it is reached.
func (a *Caller) tellDetached(l leave, o *config.Options) {
	if o.Progress.Value == "json" {
		if line, err := json.Marshal(l); err == nil {
			a.Tell(string(line) + "\n")
		}
		return
	}
	if o.Progress.Value == "quiet" {
		a.Tell(l.RunID + "\n")
		return
	}
	command := func(words ...string) string { return render.Command(slices.Concat(a.Program(), words)) }
	var b strings.Builder
	fmt.Fprintf(&b, "run %s of %s goes on without this terminal, as process %d\n\n", l.RunID, text.Clean(l.Plan, 200), l.PID)
	for _, row := range [][2]string{
		{"how it stands", command("status")},
		{"follow it", command("logs", "-f")},
		{"wait for its end", command("wait")},
		{"end it in order", command("stop")},
	} {
		fmt.Fprintf(&b, "  %-17s %s\n", row[0]+":", row[1])
	}
	fmt.Fprintf(&b, "\nIts output goes to %s\n", text.Clean(a.Shown(l.Output), 0))
	a.Tell(b.String())
}

// becomeDetached makes a process that --detach has started the one that will leave its caller.
func (s *session) becomeDetached() error {
	if !s.o.Detached {
		return nil
	}
	if s.caller = proc.DetachedLine(); s.caller == nil {
		return call.Usage("--"+config.DetachedFlag+" is how autobuild starts its own detached runs", "give --detach")
	}
	s.Stdout, s.Stderr = call.NoTerminal{Writer: s.Stdout}, call.NoTerminal{Writer: s.Stderr}
	return nil
}

// outputName is the log of all that a detached run writes.
func outputName(run string) string { return "run-" + run + ".out" }

// takeLeave is the moment in which a detached run leaves its caller: everything that could be wrong
// beforehand has been said, the lock is taken, and from here on what it writes goes to a file. A
// caller that has gone already is not missed.
func (s *session) takeLeave() error {
	if s.caller == nil {
		return nil
	}
	file, path, err := s.dir.Output(outputName(s.config.RunID))
	if err != nil {
		return err
	}
	if err = proc.Redirect(file); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(file, "--- %s: process %d, %s\n", s.Now().UTC().Format(time.RFC3339), os.Getpid(), render.Command(append(s.Program(), s.planArg())))
	_ = file.Close() // stdout and stderr hold it
	path, _ = filepath.Abs(path)
	if line, err := json.Marshal(leave{RunID: s.config.RunID, PID: os.Getpid(), Plan: s.name, Output: path}); err == nil {
		_, _ = s.caller.Write(line)
	}
	_ = s.caller.Close() // it has the line, or it is gone
	s.caller = nil
	return nil
}
