package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"autobuild/internal/proc"
	"autobuild/orchestrator"
	"autobuild/plan"
	"autobuild/state"
	"autobuild/state/store"
)

func (a *app) resetCommand() *cobra.Command {
	var dependents bool
	c := &cobra.Command{
		Use:   "reset PHASE",
		Short: "Set a phase to pending, so that the next run does it again",
		Long: `reset sets one phase to pending with no attempts; --resume then runs it again, and with it what depends on it and was
complete. A state file that cannot be read is set aside in .autobuild/history/. Commits stay as they are.`,
		Example: "  autobuild reset 2C\n  autobuild reset 2C --dependents",
		Args:    onePhase,
		RunE: func(c *cobra.Command, args []string) error {
			return a.reset(c.Context(), args[0], dependents)
		},
	}
	c.Flags().BoolVar(&dependents, "dependents", false, "and everything that depends on it")
	return c
}

func (a *app) reset(ctx context.Context, label string, dependents bool) (err error) {
	p, run, parsed, err := a.loadRun(ctx)
	corrupt, isCorrupt := errors.AsType[*store.CorruptError](err)
	if err != nil && !isCorrupt {
		return err
	}
	if isCorrupt {
		return a.resetFile(ctx, label, corrupt)
	}
	host, _ := os.Hostname()
	dir, err := store.Open(p.stateDir, p.lockDir, store.Holder{PID: os.Getpid(), Host: host, Started: time.Now(), Plan: run.Config.Plan, Args: "autobuild reset"}, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	phase, err := findPhase(run, label)
	if err != nil {
		return err
	}
	ids := []string{phase.ID}
	if dependents && parsed != nil {
		i, _ := parsed.Index(phase.ID)
		for _, d := range parsed.Descendants(i) {
			ids = append(ids, parsed.At(d).ID)
		}
	}
	for _, id := range ids {
		phase, ok := run.Find(id)
		if !ok || phase.Status == state.Pending && id != ids[0] {
			continue
		}
		was := phase.Status
		if err := orchestrator.Reset(run, dir, id, "reset by hand", time.Now()); err != nil {
			return err
		}
		a.print(fmt.Sprintf("phase %s: %s → pending\n", phase.Label, was))
	}
	return nil
}

// resetFile sets the state file of a phase aside that cannot be read.
func (a *app) resetFile(ctx context.Context, label string, corrupt *store.CorruptError) (err error) {
	id, err := plan.NormalID(label)
	if err != nil {
		return usage(fmt.Sprintf("%q is no phase", label), "")
	}
	name := "phase-" + id + ".json"
	for _, f := range corrupt.Files {
		if filepath.Base(f.Path) != name {
			continue
		}
		p, err := a.openProject(ctx, &proc.Runner{}, nil)
		if err != nil {
			return err
		}
		host, _ := os.Hostname()
		dir, err := store.Open(p.stateDir, p.lockDir, store.Holder{PID: os.Getpid(), Host: host, Started: time.Now(), Args: "autobuild reset"}, nil)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, dir.Close()) }()
		kept, err := dir.SetAside(id)
		if err != nil {
			return err
		}
		a.print(fmt.Sprintf("phase %s: its state file could not be used and is kept as %s; it is pending now\n", label, filepath.Join(".autobuild", kept)))
		return nil
	}
	return corrupt
}
