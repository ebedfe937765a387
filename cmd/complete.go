package cmd

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"autobuild/internal/text"
	"autobuild/orchestrator/agent"
	"autobuild/orchestrator/session/config"
)

// completePhases completes the phases of the run that is stored here.
func (a *app) completePhases(
	c *cobra.Command, _ []string, _ string,
) ([]string, cobra.ShellCompDirective) {
	_, run, _, err := a.LoadRun(c.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	labels := make([]string, len(run.Phases))
	for i := range run.Phases {
		labels[i] = run.Phases[i].Label + "\t" + text.Clean(run.Phases[i].Name, 80)
	}
	return labels, cobra.ShellCompDirectiveNoFileComp
}

// completePlans completes markdown files.
func completePlans(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"md", "markdown", "json"}, cobra.ShellCompDirectiveFilterFileExt
}

// completeFirst completes the first word: a command, or a plan here. With a filter for file
// endings, shells take the commands for endings. So while a command is possible, plans and
// directories are listed one by one.
func (a *app) completeFirst(
	c *cobra.Command, args []string, word string,
) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if !slices.ContainsFunc(c.Commands(),
		func(c *cobra.Command) bool {
			return c.IsAvailableCommand() && strings.HasPrefix(c.Name(), word)
		}) {
		return completePlans(c, args, word)
	}
	entries, err := os.ReadDir(a.Dir)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		switch {
		case strings.HasPrefix(name, ".") || !strings.HasPrefix(name, word):
		case e.IsDir():
			names = append(names, name+"/")
		case slices.Contains([]string{".md", ".markdown"}, filepath.Ext(name)):
			names = append(names, name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeChosen completes phases of the plan that the line names: one, or the last of several
// behind commas.
func (a *app) completeChosen(
	_ *cobra.Command, args []string, word string,
) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	p, err := a.ReadPlan(args[0], "")
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	before := word[:strings.LastIndexByte(word, ',')+1]
	var labels []string
	for _, phase := range p.Phases() {
		if label := before + phase.Label; strings.HasPrefix(strings.ToLower(label),
			strings.ToLower(word)) {
			labels = append(labels, label+"\t"+text.Clean(phase.Name, 80))
		}
	}
	return labels, cobra.ShellCompDirectiveNoFileComp
}

// completeFlags completes the values of flags that have a fixed set of them, and of those that
// choose phases.
func (a *app) completeFlags(c *cobra.Command) {
	words := map[string][]string{
		"agent": append(agent.Names(), "script"),
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if slices.Contains([]string{"only", "from", "skip"}, f.Name) {
			_ = c.RegisterFlagCompletionFunc(f.Name, a.completeChosen)
		}
		if choice, ok := f.Value.(*config.Choice); ok {
			words[f.Name] = choice.Words
		}
		if fixed, ok := words[f.Name]; ok {
			_ = c.RegisterFlagCompletionFunc(f.Name,
				cobra.FixedCompletions(fixed, cobra.ShellCompDirectiveNoFileComp))
		}
	})
}
