package cmd

import (
	"github.com/spf13/cobra"

	"autobuild/orchestrator/session/config"
	"autobuild/render/term"
)

func (a *app) graphCommand() *cobra.Command {
	reading := config.Choice{Words: config.ReadingWords()}
	format := config.Choice{Value: "text", Words: []string{"text", "mermaid", "dot", "json"}}
	c := &cobra.Command{
		Use:               "graph PLAN.md",
		Short:             "Show the graph of a plan's phases",
		Example:           "  autobuild graph plan.md\n  autobuild graph plan.md --format mermaid",
		Args:              onePlan,
		ValidArgsFunction: completePlans,
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := a.ReadPlan(args[0], reading.Value)
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
	c.Flags().Var(&reading, "reading", readingHelp)
	c.Flags().Var(&format, "format", "how it is shown")
	return c
}
