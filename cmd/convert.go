package cmd

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"autobuild/internal/safefile"
	"autobuild/plan/markdown"
)

func (a *app) convertCommand() *cobra.Command {
	var dialect, out string
	c := &cobra.Command{
		Use:   "convert PLAN.md",
		Short: "Write a plan in the recommended format",
		Long: "Write a plan in the recommended format: an overview table and a section for each phase. What was written is read again,\n" +
			"and printed only when it has the same phases, dependencies and boxes. Nothing is overwritten.",
		Example:           "  autobuild convert roadmap.md\n  autobuild convert roadmap.md --out plan.md",
		Args:              onePlan,
		ValidArgsFunction: completePlans,
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := a.readPlan(args[0], dialect, false)
			if err != nil {
				return err
			}
			text, err := markdown.Convert(p)
			if err != nil {
				return usage(err.Error(), "correct the plan, or keep it as it is: it can be run")
			}
			if out == "" {
				a.print(text)
				return nil
			}
			f, err := safefile.OpenFile(a.path(out), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
			if errors.Is(err, os.ErrExist) {
				return usage(out+" exists already", "name another file: nothing is overwritten")
			}
			if err != nil {
				return usage(out+" cannot be written: "+reason(err), "name another file")
			}
			_, err = f.WriteString(text)
			return errors.Join(err, f.Close())
		},
	}
	c.Flags().StringVar(&dialect, "dialect", "", "read the plan in this `DIALECT`")
	c.Flags().StringVarP(&out, "out", "o", "", "write to a new `FILE` instead of stdout")
	return c
}
