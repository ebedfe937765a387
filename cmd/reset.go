package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"autobuild/failure/policy"
	"autobuild/internal/proc"
	"autobuild/orchestrator"
	"autobuild/orchestrator/session/call"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/state"
	"autobuild/state/store"
)

func (a *app) resetCommand() *cobra.Command {
	var dependents bool
	c := &cobra.Command{
		Use:   "reset PHASE...",
		Short: "Set phases to pending, so that the next run does them again",
		Long: `reset sets one phase to pending with no attempts; --resume then runs it again, and with it what depends on it and was
complete. A state file that cannot be read is set aside in .autobuild/history/. Commits stay as they are: to take a
phase's work out first, git revert its commit.`,
		Example:           "  autobuild reset 2C\n  autobuild reset 2C --dependents",
		Args:              somePhases("reset"),
		ValidArgsFunction: a.completePhases,
		RunE: func(c *cobra.Command, args []string) error {
			for _, label := range args {
				if err := a.reset(c.Context(), label, dependents); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&dependents, "dependents", false, "and everything that depends on it")
	return c
}

// somePhases wants at least one argument.
func somePhases(verb string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return call.Usage(c.CommandPath()+" takes the phases to "+verb,
				"for example: "+c.CommandPath()+" 2A")
		}
		return nil
	}
}

func (a *app) reset(ctx context.Context, label string, dependents bool) error {
	p, run, parsed, err := a.LoadRun(ctx)
	corrupt, isCorrupt := errors.AsType[*store.CorruptError](err)
	if err != nil && !isCorrupt {
		return err
	}
	if isCorrupt {
		return a.resetFile(ctx, label, corrupt)
	}
	phase, err := call.FindPhase(run, label)
	if err != nil {
		return err
	}
	if dependents && parsed == nil {
		return fmt.Errorf(
			"the plan %s cannot be read, so the dependents of phase %s are unknown; "+
				"reset them by name",
			run.Config.Plan, phase.Label)
	}
	var seeds []state.Seed
	if parsed != nil {
		seeds = orchestrator.Seeds(parsed, policy.Single{}.Attempts())
	}
	return a.locked(p, "reset", run.Config.Plan, func(dir *store.Dir) error {
		run, _, err := dir.Load(seeds) // again: under the lock no other process can change it
		if err != nil {
			return err
		}
		return a.resetPhases(run, dir, downstream(parsed, phase.ID, dependents))
	})
}

// downstream lists a phase and, where they are wanted and the plan can be read, all that depend on
// it.
func downstream(parsed *plan.Plan, id string, dependents bool) []string {
	ids := []string{id}
	if !dependents || parsed == nil {
		return ids
	}
	i, ok := parsed.Index(id)
	if !ok {
		return ids
	}
	for _, d := range parsed.Descendants(i) {
		ids = append(ids, parsed.At(d).ID)
	}
	return ids
}

// resetPhases resets the first of ids in any status, and the others unless they are pending
// already.
func (a *app) resetPhases(run *state.Run, dir *store.Dir, ids []string) error {
	for _, id := range ids {
		phase, ok := run.Find(id)
		if !ok || phase.Status == state.Pending && id != ids[0] {
			continue
		}
		was, contested, landed := phase.Status, len(phase.Contested()) > 0, phase.Commit
		if err := orchestrator.Reset(run, dir, id, "reset by hand", time.Now()); err != nil {
			return err
		}
		a.Print(a.Style(a.Stdout).Spelled(fmt.Sprintf("phase %s: %s → pending\n", phase.Label,
			was)))
		if contested && landed != nil && landed.SHA != "" {
			a.Note("the changes of tests and gates that phase %s landed stay, and are not "+
				"contested any more; to take them out, before the resume: %s",
				phase.Label, render.Revert(a.Program(), landed))
		}
	}
	return nil
}

// resetFile sets the state file of a phase aside that cannot be read.
func (a *app) resetFile(ctx context.Context, label string, corrupt *store.CorruptError) error {
	id, err := plan.NormalID(label)
	if err != nil {
		return call.Usage(fmt.Sprintf("%q is no phase", label), "")
	}
	if !slices.ContainsFunc(corrupt.Files, func(f store.BadFile) bool { return f.Phase == id }) {
		return corrupt
	}
	p, err := a.OpenProject(ctx, &proc.Runner{}, nil)
	if err != nil {
		return err
	}
	return a.locked(p, "reset", "", func(dir *store.Dir) error {
		kept, err := dir.SetAside(id)
		if err != nil {
			return err
		}
		a.Print(fmt.Sprintf(
			"phase %s: its state file could not be used and is kept as %s; it is pending now\n",
			label, filepath.Join(".autobuild", kept)))
		return nil
	})
}

// locked calls do under the run lock, which keeps other processes from the run.
func (a *app) locked(
	p *call.Project, doing, planName string, do func(*store.Dir) error,
) (err error) {
	host, _ := os.Hostname()
	holder := store.Holder{
		PID: os.Getpid(), Host: host, Started: time.Now(), Plan: planName,
		Args: "autobuild " + doing,
	}
	dir, err := store.Open(p.StateDir, p.LockDir, holder, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	if a.Step != nil {
		dir.Watch(a.Step)
	}
	return do(dir)
}
