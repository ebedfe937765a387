package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"autobuild/internal/proc"
	"autobuild/internal/text"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/calls"
	"autobuild/render"
	"autobuild/state"
	"autobuild/state/store"
)

func (a *app) stopCommand() *cobra.Command {
	var now bool
	c := &cobra.Command{
		Use:   "stop",
		Short: "End the run here in order, and wait until it has ended",
		Long: `Asks the run that goes on in this directory to end, as Ctrl-C in its terminal would: nothing new starts, the agents are
asked to end, and everything is written down. It may be resumed. With --now the agents are killed. Returns when the run
has ended; Ctrl-C ends the waiting and not the run.`,
		Example: "  autobuild stop   let the agents end first\n  autobuild stop --now   kill them",
		Args:    noArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return a.stop(c.Context(), now) },
	}
	c.Flags().BoolVar(&now, "now", false, "kill the agents, as a second Ctrl-C would")
	return c
}

// stop ends the run here and says how it ended.
func (a *app) stop(ctx context.Context, now bool) error {
	if err := a.attach(ctx); err != nil {
		return err
	}
	p, err := a.OpenProject(ctx, &proc.Runner{}, nil)
	if err != nil {
		return err
	}
	ctx, _, deaf := a.Signals.Stop(ctx, func(string) {})
	defer deaf()
	holder, held := heldHere(ctx, p)
	if !held {
		a.Print("no run goes on here\n")
		return nil
	}
	if err = call.Elsewhere(p, holder); err == nil {
		err = known(holder)
	}
	if err != nil {
		return err
	}
	err = proc.Terminate(ctx, holder.PID, holder.Process, now)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return fmt.Errorf(
			"a run cannot be stopped from outside on this system; press Ctrl-C in its window "+
				"(process %d)",
			holder.PID)
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf(
			"process %d, which runs here, belongs to another user; ask them, or stop it as that "+
				"user",
			holder.PID)
	case err != nil && !errors.Is(err, proc.ErrGone):
		return fmt.Errorf("stopping process %d: %w", holder.PID, err)
	}
	if now {
		a.Note("process %d kills its agents and ends", holder.PID)
	} else {
		a.Note("process %d was asked to end; it waits for its agents (%s kills them)", holder.PID,
			render.Command(append(a.Program(), "stop", "--now")))
	}
	if _, err = awaitRun(ctx, p); err != nil {
		return err
	}
	return a.tellStopped(ctx, p, holder)
}

// known refuses a holder with nothing but a process number: another process may have it by now.
func known(h store.Holder) error {
	host, err := os.Hostname()
	switch {
	case h.PID == 0:
		return errors.New(
			"a run goes on here, and its lock does not say which process that is; look for it " +
				"with: ps -e | grep autobuild")
	case err == nil && h.Host != host:
		return fmt.Errorf(
			"the run here is process %d of the machine %s, not of this one; stop it there", h.PID,
			text.Clean(h.Host, 100))
	case !onThisMachine(h) && (h.Process != "" || proc.Identity(os.Getpid()) != ""):
		return fmt.Errorf(
			"process %d holds the lock, but its identity cannot be verified; if it is yours, "+
				"end it with: kill %d",
			h.PID, h.PID)
	}
	return nil
}

// tellStopped says how the run ended, in one line and one command.
func (a *app) tellStopped(ctx context.Context, p *call.Project, holder store.Holder) error {
	run, err := a.ended(ctx, holder)
	if err != nil {
		return err
	}
	a.Print(fmt.Sprintf("run %s has ended: %s, exit code %d; %s\n", run.Config.RunID,
		run.End.Outcome, run.End.Exit, outOf(run.Totals())))
	if run.End.Outcome != state.Done {
		a.Print("go on with: " +
			render.Command(calls.Stored(a.Call, p, run, store.Holder{}).Next()) + "\n")
	}
	return nil
}
