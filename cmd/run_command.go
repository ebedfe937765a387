package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"autobuild/internal/proc"
	"autobuild/orchestrator/session"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
)

func (a *app) runCommand() *cobra.Command {
	var o config.Options
	c := &cobra.Command{
		Use:   "run PLAN.md",
		Short: "Run a plan (the same as autobuild PLAN.md)",
		Example: `  autobuild run plan.md --agent claude --commit=auto
  autobuild run plan.md --agent-cmd 'my-agent --headless' -j 2
  autobuild run plan.md --resume
  autobuild run plan.md --detach`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && c.HasParent():
				return call.Usage("which plan?", "name a markdown file: autobuild run PLAN.md")
			case len(args) == 0:
				return c.Help()
			case len(args) > 1 && config.Gone(args[0]) != "":
				return call.Usage("there is no command "+args[0], config.Gone(args[0]))
			case len(args) > 1 && a.NearCommand(args[0]) != "" && !c.HasParent():
				return call.Usage(args[0]+" is no command", "did you mean: autobuild "+
					strings.Join(append([]string{a.NearCommand(args[0])}, args[1:]...), " "))
			case len(args) > 1:
				return call.Usage(fmt.Sprintf("%d plans were named: %s", len(args),
					strings.Join(args, " ")), "a run has one plan")
			}
			return a.runPlan(c.Context(), &o, args[0])
		},
	}
	o.Bind(c.Flags())
	c.Flags().Bool(allFlag, false, "with --help: every flag")
	if a.more.Engine != nil {
		_ = c.Flags().Set(config.EngineFlag, config.EngineTemporal)
	}
	return c
}

// runPlan runs a plan with the engine that the settings name.
func (a *app) runPlan(ctx context.Context, o *config.Options, planArg string) error {
	return a.handOver(session.Run(ctx, a.Call, o, planArg, a.more.Engine))
}

// attach follows a run that goes on elsewhere, and says what is known of it.
func (a *app) attach(ctx context.Context) error {
	err := a.handOver(session.Attach(ctx, a.Call, a.more.Engine))
	missing, ok := errors.AsType[*session.MissingEngineError](err)
	if ok && missing.Stored {
		a.Note("this is what is stored here; the run may go on: %v", missing)
	}
	if ok {
		return nil
	}
	return err
}

// handOver starts, in place of this program, the one that has the missing engine.
func (a *app) handOver(err error) error {
	missing, ok := errors.AsType[*session.MissingEngineError](err)
	if !ok {
		return err
	}
	path := a.Environ.Find(a.Dir, "autobuild-"+missing.Name)
	if path == "" {
		return err
	}
	return proc.Exec(path, append([]string{path}, a.Args...), a.Environ)
}
