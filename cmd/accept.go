package cmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"autobuild/orchestrator"
	"autobuild/orchestrator/session/call"
	"autobuild/render/term"
	"autobuild/state"
	"autobuild/state/store"
)

func (a *app) acceptCommand() *cobra.Command {
	var why string
	c := &cobra.Command{
		Use:   "accept PHASE...",
		Short: "Accept the contested changes of a complete phase",
		Long: `accept records that a person has looked at a phase that is complete and contested, and takes its changes of tests,
gates and what steers them. It shows what it accepts. Files and commits stay as they are; when nothing is contested
any more, the run's exit code is 0. To refuse the changes instead, take the phase's commit out first (git revert), then
reset the phase: reset alone keeps what has landed. autobuild status prints the commands. accept works only while no
run goes on, and not from inside an agent.`,
		Example: "  autobuild accept 2A\n  autobuild accept 2A 2B --because 'rates " +
			"changed in May'",
		ValidArgsFunction: a.completePhases,
		Args:              somePhases("accept"),
		RunE: func(c *cobra.Command, args []string) error {
			for _, label := range args {
				if err := a.accept(c.Context(), label, why); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().StringVar(&why, "because", "", "record this `REASON`")
	return c
}

// accept takes the contested changes of one phase.
func (a *app) accept(ctx context.Context, label, why string) error {
	if err := a.byPerson("accept"); err != nil {
		return err
	}
	p, run, _, err := a.LoadRun(ctx)
	if err != nil {
		return err
	}
	phase, err := call.FindPhase(run, label)
	if err != nil {
		return err
	}
	return a.locked(p, "accept", run.Config.Plan, func(dir *store.Dir) error {
		run, _, err := dir.Load(nil) // again: only now no other process can change it
		if err != nil {
			return err
		}
		now, ok := run.Find(phase.ID)
		if !ok {
			return fmt.Errorf("phase %s is not part of the run any more", phase.Label)
		}
		contested := now.Contested()
		if len(contested) == 0 {
			return a.nothingToAccept(now)
		}
		if err := orchestrator.Accept(run, dir, phase.ID, strings.TrimSpace(why),
			time.Now()); err != nil {
			return err
		}
		a.Print(term.Accepted(now, contested, a.Style(a.Stdout)))
		return nil
	})
}

// nothingToAccept says why: a phase that was accepted before is no mistake.
func (a *app) nothingToAccept(p *state.Phase) error {
	if !p.Accepted.IsZero() {
		a.Print(term.AcceptedBefore(p, a.Style(a.Stdout)))
		return nil
	}
	return call.Usage(fmt.Sprintf("phase %s is %s, and nothing in it is contested", p.Label,
		p.Status), "autobuild status shows which phases are")
}
