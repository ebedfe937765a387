package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"autobuild/internal/call"
	"autobuild/internal/config"
	"autobuild/orchestrator/session"
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
			case len(args) > 1 && a.NearCommand(args[0]) != "" && !c.HasParent():
				return call.Usage(args[0]+" is no command", "did you mean: autobuild "+
					strings.Join(append([]string{a.NearCommand(args[0])}, args[1:]...), " "))
			case len(args) > 1:
				return call.Usage(fmt.Sprintf("%d plans were named: %s", len(args),
					strings.Join(args, " ")), "a run has one plan")
			}
			return session.Run(c.Context(), a.Call, &o, args[0])
		},
	}
	o.Bind(c.Flags())
	return c
}
