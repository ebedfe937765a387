package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"autobuild/internal/proc"
	"autobuild/internal/text"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/calls"
	"autobuild/orchestrator/session/report"
	"autobuild/render"
	"autobuild/render/term"
	"autobuild/state"
	"autobuild/state/store"
)

// lookEvery is how often a run is looked at whose process cannot be waited for: that of another
// machine, or another system.
const lookEvery = 500 * time.Millisecond

// A lock file that is just being signed is looked at again for so long, so often.
const (
	signPatience = 2 * time.Second
	signPause    = 50 * time.Millisecond
)

func (a *app) waitCommand() *cobra.Command {
	var timeout time.Duration
	c := &cobra.Command{
		Use:   "wait",
		Short: "Wait until the run here has ended, and end with its exit code",
		Long: `Waits for the run in this directory, detached or not, then shows its last screen and ends with its exit code. If the
run has ended already, wait returns at once. With --timeout it gives up with exit
code 124, and the run goes on. A run that was killed has left no end: that is exit code 3.`,
		Example: "  autobuild wait   show the last screen, and end as the run ended\n  " +
			"autobuild wait --timeout 9m   for at most nine minutes",
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if timeout < 0 {
				return call.Usage("--timeout is negative", "0 means no limit")
			}
			return a.wait(c.Context(), timeout)
		},
	}
	c.Flags().DurationVar(&timeout, "timeout", 0,
		"give up after this long, with exit code 124 (0: never)")
	return c
}

// wait waits for the end of the run, prints it, and exits with its exit code.
func (a *app) wait(ctx context.Context, timeout time.Duration) error {
	if err := a.attach(ctx); err != nil {
		return err
	}
	p, err := a.OpenProject(ctx, &proc.Runner{}, nil)
	if err != nil {
		return err
	}
	ctx, _, stop := a.Signals.Stop(ctx, func(string) {})
	defer stop()
	waiting := ctx
	if timeout > 0 {
		var cancel context.CancelFunc
		waiting, cancel = context.WithTimeoutCause(ctx, timeout, call.ErrTimedOut)
		defer cancel()
	}
	holder, err := awaitRun(waiting, p)
	switch {
	case errors.Is(err, call.ErrTimedOut):
		return a.stillRuns(ctx, timeout)
	case err != nil:
		return err
	}
	run, err := a.ended(ctx, holder)
	if err != nil {
		return err
	}
	a.Tell(term.Summary(run, report.StoredEnding(a.Call, p, run, holder), a.Style(a.Stdout)))
	if run.End.Exit == call.ExitOK {
		return nil
	}
	return &call.ShownError{Err: &call.EndedError{Code: run.End.Exit}}
}

// awaitRun waits until no run holds the lock here, and returns the last holder, zero where there
// was none. The error is the cause of ctx, or says that it is another directory's run.
func awaitRun(ctx context.Context, p *call.Project) (last store.Holder, err error) {
	for {
		holder, held := heldHere(ctx, p)
		if !held {
			return last, nil
		}
		if holder.PID != 0 {
			last = holder
		}
		if err = call.Elsewhere(p, holder); err != nil {
			return last, err
		}
		if onThisMachine(holder) {
			err = proc.Await(ctx, holder.PID, holder.Process)
		}
		if errors.Is(err, errors.ErrUnsupported) {
			err = nil
		}
		if err == nil && store.Working(p.StateDir, p.LockDir) {
			err = nap(ctx, lookEvery)
		}
		if err != nil {
			return last, err
		}
	}
}

// nap waits, unless ctx ends before: then the error is its cause.
func nap(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// heldHere is who holds the lock, with a little patience for one who is just signing.
func heldHere(ctx context.Context, p *call.Project) (store.Holder, bool) {
	for tries := signPatience / signPause; ; tries-- {
		holder, held := store.Held(p.StateDir, p.LockDir)
		if !held || holder.PID != 0 || tries <= 0 {
			return holder, held
		}
		if nap(ctx, signPause) != nil {
			return holder, held
		}
	}
}

// onThisMachine reports whether the holder is a process of this machine, known by more than its
// number.
func onThisMachine(h store.Holder) bool {
	host, err := os.Hostname()
	return err == nil && h.Host == host && h.PID > 0 && h.Process != "" &&
		proc.Identity(h.PID) == h.Process
}

// ended returns the run with its end, after its process has ended. holder is the last holder that
// this call saw.
func (a *app) ended(ctx context.Context, holder store.Holder) (*state.Run, error) {
	p, run, _, err := a.LoadRun(ctx)
	switch {
	case errors.Is(err, call.ErrNoState) && holder.PID != 0:
		return nil, fmt.Errorf("process %d ended before its run had begun; what it wrote says why",
			holder.PID)
	case err != nil:
		return nil, err
	}
	if run.End == nil {
		return nil, fmt.Errorf(
			"run %s ended without a word: it was killed, or the machine went down; nothing that "+
				"was recorded is lost, and this goes on: %s",
			run.Config.RunID, render.Command(calls.Stored(a.Call, p, run, store.Holder{}).Next()))
	}
	if holder.PID != 0 && run.End.Outcome != state.Done && run.End.Time.Before(holder.Started) {
		return nil, fmt.Errorf(
			"process %d ended before its session had begun, and the end that is recorded is an "+
				"earlier one; what it wrote says why",
			holder.PID)
	}
	return run, nil
}

// stillRuns says where a run stands that has not ended in time.
func (a *app) stillRuns(ctx context.Context, timeout time.Duration) error {
	again := render.Command(append(a.Program(), "wait", "--timeout", text.Duration(timeout)))
	progress := ""
	if _, run, _, err := a.LoadRun(ctx); err == nil {
		progress = ": " + outOf(run.Totals())
		if names := inPhases(run, state.Running, state.Waiting); names != "" {
			progress += ", at work on " + names
		}
	}
	_, _ = io.WriteString(a.Stderr, "autobuild: the run still runs after "+
		text.Duration(timeout)+progress+"; to wait on: "+again+"\n")
	return &call.ShownError{Err: call.ErrTimedOut}
}

// outOf is how far a run has come.
func outOf(t state.Totals) string {
	return fmt.Sprintf("%d of %s complete", t.Complete, text.Count(t.Phases, "phase"))
}

// inPhases lists the phases with one of these statuses.
func inPhases(run *state.Run, statuses ...state.Status) string {
	var labels []string
	for i := range run.Phases {
		if slices.Contains(statuses, run.Phases[i].Status) {
			labels = append(labels, run.Phases[i].Label)
		}
	}
	return strings.Join(labels, ", ")
}
