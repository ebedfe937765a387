// Package detach starts a run in a session of its own. The call that starts it waits until the run
// has taken the lock and everything that can be wrong beforehand has been checked; until then the
// output and exit code of the run are the call's. It does not know how a run is made.
package detach

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

	"autobuild/internal/proc"
	"autobuild/internal/text"
	"autobuild/orchestrator"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"autobuild/render"
	"autobuild/state/store"
)

// Started is what a detached run prints to its caller when it has taken the lock.
type Started struct {
	RunID  string `json:"run_id"`
	PID    int    `json:"pid"`
	Plan   string `json:"plan"`
	Output string `json:"output"` // the file that it writes to from now on
}

// Run starts the call once more in a session of its own, and returns when that runs or has ended.
func Run(ctx context.Context, c *call.Call, o *config.Options) error {
	if o.DryRun {
		return call.Usage("--detach runs the plan and --dry-run does not", "give one of them")
	}
	s, err := Start(ctx, c, c.Args)
	if err == nil {
		announce(c, s, o.Progress.Value)
	}
	return err
}

// Start starts a call of this program with args in a session of its own, and returns when its run
// has left this call. The error says how it ended where it has not.
func Start(ctx context.Context, c *call.Call, args []string) (s Started, err error) {
	out, _ := c.Stdout.(*os.File)
	errs, _ := c.Stderr.(*os.File)
	child, err := proc.Detach(append([]string{"--" + config.DetachedFlag}, args...), c.Environ,
		out, errs)
	if errors.Is(err, errors.ErrUnsupported) {
		return s, errors.New(
			"--detach is not possible on this system: a run that has left its console could not " +
				"be asked to end; leave --detach out and use another window")
	}
	if err != nil {
		return s, fmt.Errorf("detaching: %w", err)
	}
	defer child.Line.Close() //nolint:errcheck // read from
	ctx, kill, stop := c.Signals.Stop(ctx, func(string) {})
	defer stop()
	read := make(chan []byte, 1)
	go func() {
		line, _ := io.ReadAll(io.LimitReader(child.Line, 1<<20)) // missing data is noticed below
		read <- line
	}()
	var line []byte
	for stopped := ctx.Done(); line == nil; {
		select {
		case line = <-read:
			line = append([]byte{' '}, line...) // it may be empty
		case <-stopped:
			stopped = nil
			child.Stop(false)
		case <-kill:
			kill = nil
			child.Stop(true)
		}
	}
	if json.Unmarshal(line, &s) != nil {
		return s, endedBefore(ctx, child)
	}
	return s, nil
}

// endedBefore is how a process ended that was to detach and did not.
func endedBefore(ctx context.Context, child *proc.Detached) error {
	code, signal, err := child.Wait()
	i, interrupted := errors.AsType[*orchestrator.Interrupted](context.Cause(ctx))
	switch {
	case err != nil:
		return err
	case interrupted:
		return &call.ShownError{Err: i}
	case signal != "":
		return fmt.Errorf(
			"the run was ended by %s before it began; nothing was started, so the same call may "+
				"be made again",
			signal)
	}
	return &call.ShownError{Err: &call.EndedError{Code: code}}
}

// announce prints what runs now, and the commands that reach it.
func announce(c *call.Call, s Started, progress string) {
	if progress == "json" {
		if line, err := json.Marshal(s); err == nil {
			c.Tell(string(line) + "\n")
		}
		return
	}
	command := func(words ...string) string {
		return render.Command(slices.Concat(c.Program(), words))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "run %s of %s goes on without this terminal, as process %d\n\n", s.RunID,
		text.Clean(s.Plan, 200), s.PID)
	for _, row := range [][2]string{
		{"how it stands", command("status")},
		{"follow it", command("logs", "-f")},
		{"wait for its end", command("wait")},
		{"end it in order", command("stop")},
	} {
		fmt.Fprintf(&b, "  %-17s %s\n", row[0]+":", row[1])
	}
	fmt.Fprintf(&b, "\nIts output goes to %s\n", text.Clean(c.Shown(s.Output), 0))
	c.Tell(b.String())
}

// Caller leads from a detached run to its caller. The nil Line does nothing.
type Caller struct{ caller *os.File }

// Open makes a process that Run has started the one that will leave its caller; nil where this call
// is another one.
func Open(c *call.Call, o *config.Options) (*Caller, error) {
	if !o.Detached {
		return nil, nil
	}
	caller := proc.DetachedLine()
	if caller == nil {
		return nil, call.Usage("--"+config.DetachedFlag+
			" is how autobuild starts its own detached runs", "give --detach")
	}
	c.Stdout, c.Stderr = call.NoTerminal{Writer: c.Stdout}, call.NoTerminal{Writer: c.Stderr}
	return &Caller{caller}, nil
}

// Leave is the moment in which a detached run leaves its caller: the lock is taken, everything that
// could be wrong beforehand has been checked, and from here on output goes to a file. plan is the
// plan's name in state, command how the run is called. A caller that has ended already is ignored.
func (l *Caller) Leave(c *call.Call, dir *store.Dir, run, plan string, command []string) error {
	if l == nil {
		return nil
	}
	file, path, err := dir.Output("run-" + run + ".out")
	if err != nil {
		return err
	}
	if err = proc.Redirect(file); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(file, "--- %s: process %d, %s\n", c.Now().UTC().Format(time.RFC3339),
		os.Getpid(), render.Command(command))
	_ = file.Close() // stdout and stderr hold it
	path, _ = filepath.Abs(path)
	if line, err := json.Marshal(Started{
		RunID: run, PID: os.Getpid(), Plan: plan,
		Output: path,
	}); err == nil {
		_, _ = l.caller.Write(line)
	}
	_ = l.caller.Close() // it has the line, or it has ended
	return nil
}
