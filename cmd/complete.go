package cmd

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"autobuild/orchestrator/agent"
	"autobuild/plan/markdown"
)

// completePhases completes the phases of the run that is stored here.
func (a *app) completePhases(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	_, run, _, err := a.loadRun(c.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	labels := make([]string, len(run.Phases))
	for i := range run.Phases {
		labels[i] = run.Phases[i].Label + "\t" + run.Phases[i].Name
	}
	return labels, cobra.ShellCompDirectiveNoFileComp
}

// completePlans completes markdown files.
func completePlans(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"md", "markdown", "json"}, cobra.ShellCompDirectiveFilterFileExt
}

// completeFlags completes the values of flags that have a fixed set of them.
func completeFlags(c *cobra.Command) {
	words := map[string][]string{
		"agent":   append(agent.Names(), "script"),
		"dialect": markdown.Dialects(),
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if choice, ok := f.Value.(*choice); ok {
			words[f.Name] = choice.words
		}
		if fixed, ok := words[f.Name]; ok {
			_ = c.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(fixed, cobra.ShellCompDirectiveNoFileComp))
		}
	})
}
