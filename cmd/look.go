package cmd

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"autobuild/internal/call"
	"autobuild/internal/config"
	"autobuild/render"
	"autobuild/render/term"
	"autobuild/state"
	"autobuild/state/store"
)

// onePlan wants exactly one argument.
func onePlan(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return call.Usage(fmt.Sprintf("%s takes one plan, not %d arguments", c.CommandPath(), len(args)), "for example: "+c.CommandPath()+" plan.md")
	}
	return nil
}

func (a *app) graphCommand() *cobra.Command {
	format := config.Choice{Value: "text", Words: []string{"text", "mermaid", "dot", "json"}}
	var dialect string
	var serialize bool
	c := &cobra.Command{
		Use:               "graph PLAN.md",
		Short:             "Show the graph of a plan's phases",
		Example:           "  autobuild graph plan.md\n  autobuild graph plan.md --format mermaid",
		Args:              onePlan,
		ValidArgsFunction: completePlans,
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := a.ReadPlan(args[0], dialect, serialize)
			if err != nil {
				return err
			}
			out, err := term.Graph(p, nil, format.Value, a.Style(a.Stdout))
			if err != nil {
				return err
			}
			a.Print(out)
			return nil
		},
	}
	c.Flags().Var(&format, "format", "how it is shown")
	c.Flags().StringVar(&dialect, "dialect", "", "read the plan in this `DIALECT`")
	c.Flags().BoolVar(&serialize, config.SerializeFlag, false, config.SerializeHelp)
	return c
}

func (a *app) statusCommand() *cobra.Command {
	var asJSON, watch bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Show where the run stands",
		Example: `  autobuild status
  autobuild status --watch   until the run ends, and end as it ended
  autobuild status --json`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case watch && asJSON:
				return call.Usage("--watch is for people and --json for programs", "a program reads .autobuild/events.jsonl, or waits with: autobuild wait")
			case watch:
				return a.watch(c.Context())
			}
			p, run, _, err := a.LoadRun(c.Context())
			if err != nil {
				return err
			}
			alive := store.Working(p.StateDir, p.LockDir)
			if !asJSON {
				a.Print(term.Status(run, a.stands(p, run, alive), alive, time.Now(), a.Style(a.Stdout)))
				return nil
			}
			out, err := render.StatusJSON(run, alive)
			if err != nil {
				return err
			}
			a.Print(string(out))
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	c.Flags().BoolVar(&watch, "watch", false, "go on showing it, and end with the run and its exit code")
	return c
}

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  autobuild version --json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			if !asJSON {
				a.Print("autobuild " + call.Version() + "\n")
				return nil
			}
			out, err := json.Marshal(map[string]any{"autobuild": call.Version(), "schema": state.Schema, "events": state.EventVersion})
			if err != nil {
				return err
			}
			a.Print(string(out) + "\n")
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}
