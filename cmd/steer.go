package cmd

import (
	"context"
	"errors"
	"fmt"
	"os/user"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"autobuild/internal/text"
	"autobuild/orchestrator"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/calls"
	"autobuild/orchestrator/session/config"
	"autobuild/orchestrator/steering"
	"autobuild/render"
	"autobuild/state"
	"autobuild/state/store"
)

func (a *app) pauseCommand() *cobra.Command {
	var now bool
	c := &cobra.Command{
		Use:   "pause",
		Short: "Let the run here start nothing more until autobuild resume",
		Long: `Pauses the run that goes on in this directory: no attempt starts, and those in work end as they would. With --now they
are stopped; each keeps its attempts and its work, and begins anew when the run goes on. The process of the run stays,
and its --max-wall goes on counting.`,
		Example: "  autobuild pause\n  autobuild pause --now   stop the agents that are in work",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.steer(c.Context(), orchestrator.Command{Kind: orchestrator.PauseRun, Now: now})
		},
	}
	c.Flags().BoolVar(&now, "now", false, "stop the attempts in work, too")
	return c
}

func (a *app) resumeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "resume",
		Short: "Let the run here go on after autobuild pause",
		Long: `Ends the pause of the run that goes on in this directory. Where no run goes on, it prints the command that resumes
the stored one.`,
		Example: "  autobuild resume",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.steer(c.Context(), orchestrator.Command{Kind: orchestrator.ContinueRun})
		},
	}
}

func (a *app) noteCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "note PHASE TEXT",
		Short: "Tell the next attempt at a phase something",
		Long: fmt.Sprintf(`Puts a note of yours into the prompt of every attempt at the phase that starts from now on; the attempt in work does not
see it. A phase keeps up to %d notes of %d bytes each. It works while the run goes on, and between two sessions.`,
			state.MaxNotes, state.MaxNote),
		Example:           "  autobuild note 2A 'use the client in internal/http, not a new one'",
		ValidArgsFunction: a.completePhases,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < 2 {
				return call.Usage(c.CommandPath()+" takes a phase and the text of the note",
					"for example: "+c.CommandPath()+" 2A 'use the existing client'")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			return a.steer(c.Context(), orchestrator.Command{
				Kind: orchestrator.NotePhase, Phase: args[0], Text: strings.Join(args[1:], " "),
			})
		},
	}
}

func (a *app) skipCommand() *cobra.Command {
	var why string
	c := &cobra.Command{
		Use:   "skip PHASE...",
		Short: "Leave phases out; what depends on them does not wait",
		Long: `Leaves phases out of the run, in this session and later ones. An attempt in work is stopped, and its work is kept aside.
What depends on the phase starts without it. autobuild retry takes the phase in again.`,
		Example:           "  autobuild skip 2A\n  autobuild skip 2A --because 'done by hand'",
		ValidArgsFunction: a.completePhases,
		Args:              somePhases("skip"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.steerEach(c.Context(),
				orchestrator.Command{Kind: orchestrator.SkipPhase, Text: why}, args)
		},
	}
	c.Flags().StringVar(&why, "because", "", "record this `REASON`")
	return c
}

func (a *app) retryCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "retry PHASE...",
		Short: "Try failed or skipped phases again, in the run that goes on",
		Long: `Tries phases again that have failed for good or were left out, and with them what they blocked. Each begins with all
its attempts, and knows why it failed. While siblings of a failed phase are in work, this takes the run on from there;
when the run has ended, the next --resume does.`,
		Example:           "  autobuild retry 2A",
		ValidArgsFunction: a.completePhases,
		Args:              somePhases("try again"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.steerEach(c.Context(), orchestrator.Command{Kind: orchestrator.RetryPhase}, args)
		},
	}
}

// steerEach sends a command for each phase.
func (a *app) steerEach(ctx context.Context, c orchestrator.Command, labels []string) error {
	for _, label := range labels {
		c.Phase = label
		if err := a.steer(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// steer sends a command to the run that goes on here and prints its answer. Where none goes on, the
// command changes the stored run.
func (a *app) steer(ctx context.Context, c orchestrator.Command) error {
	if err := a.byPerson(string(c.Kind)); err != nil {
		return err
	}
	if err := a.attach(ctx); err != nil {
		return err
	}
	p, run, _, err := a.LoadRun(ctx)
	if err != nil {
		return err
	}
	if c.Phase != "" {
		phase, unknown := call.FindPhase(run, c.Phase)
		if unknown != nil {
			return unknown
		}
		c.Phase = phase.ID
	}
	if me, unknown := user.Current(); unknown == nil {
		c.By = text.Clean(me.Username, 60)
	}
	ctx, _, deaf := a.Signals.Stop(ctx, func(string) {})
	defer deaf()
	holder, held := heldHere(ctx, p)
	if !held {
		return a.steerStored(p, run, c)
	}
	if err = call.Elsewhere(p, holder); err != nil {
		return err
	}
	answer, err := steering.Ask(ctx, p.StateDir, c,
		func() bool { return store.Working(p.StateDir, p.LockDir) })
	if errors.Is(err, steering.ErrEnded) {
		return a.steerAfter(ctx, err)
	}
	if err != nil {
		return asUsage(err)
	}
	a.Print(answer + "\n")
	return nil
}

// asUsage is the exit code of a command that a run refuses.
func asUsage(err error) error {
	if refused, ok := errors.AsType[*orchestrator.CommandError](err); ok {
		return call.Usage(refused.Why, refused.Next)
	}
	return err
}

// steerAfter says how a run ended that did not answer.
func (a *app) steerAfter(ctx context.Context, err error) error {
	_, run, _, failed := a.LoadRun(ctx)
	if failed != nil || run.End == nil {
		return err
	}
	return fmt.Errorf("%w: %s; autobuild status shows how it goes on", err, run.End.Outcome)
}

// steerStored does a command between two sessions.
func (a *app) steerStored(p *call.Project, run *state.Run, c orchestrator.Command) error {
	next := render.Command(calls.Stored(a.Call, p, run, store.Holder{}).Next())
	switch c.Kind {
	case orchestrator.PauseRun:
		a.Print("no run goes on here\n")
		return nil
	case orchestrator.ContinueRun:
		a.Print("no run goes on here; to resume the stored one: " + next + "\n")
		return nil
	case orchestrator.NotePhase, orchestrator.SkipPhase, orchestrator.RetryPhase,
		orchestrator.ReloadPlan:
	}
	return a.locked(p, string(c.Kind), run.Config.Plan, func(dir *store.Dir) error {
		run, _, err := dir.Load(nil) // again: under the lock no other process can change it
		if err != nil {
			return err
		}
		answer, err := orchestrator.SteerStored(run, dir, c, time.Now())
		if err != nil {
			return asUsage(err)
		}
		a.Print(answer + "\ngo on with: " + next + "\n")
		return nil
	})
}

// byPerson refuses what an agent asks that is a person's to decide.
func (a *app) byPerson(verb string) error {
	for _, name := range config.ReservedEnv() {
		if a.Environ.Get(name) != "" {
			return call.Usage(verb+" is a person's decision, and "+name+
				" says that an agent asks", "run it in a shell of your own")
		}
	}
	return nil
}
