package cmd

import (
	"github.com/spf13/cobra"

	"autobuild/internal/call"
	"autobuild/plan/markdown"
)

func (a *app) convertCommand() *cobra.Command {
	var dialect, out string
	c := &cobra.Command{
		Use:   "convert PLAN.md",
		Short: "Write a plan in the recommended format",
		Long: "Write a plan in the recommended format: an overview table and a section for each " +
			"phase. What was written is read again,\n" +
			"and printed only when it has the same phases, dependencies and boxes. Nothing is " +
			"overwritten.",
		Example: "  autobuild convert roadmap.md\n  autobuild convert roadmap.md " +
			"--out plan.md",
		Args:              onePlan,
		ValidArgsFunction: completePlans,
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := a.ReadPlan(args[0], dialect, false)
			if err != nil {
				return err
			}
			text, err := markdown.Convert(p)
			if err != nil {
				return call.Usage(err.Error(),
					"correct the plan, or keep it as it is: it can be run")
			}
			if out == "" {
				a.Print(text)
				return nil
			}
			return a.create(out, []byte(text))
		},
	}
	c.Flags().StringVar(&dialect, "dialect", "", "read the plan in this `DIALECT`")
	c.Flags().StringVarP(&out, "out", "o", "", "write to a new `FILE` instead of stdout")
	return c
}
