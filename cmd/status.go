package cmd

import (
	"time"

	"github.com/spf13/cobra"

	"autobuild/orchestrator/session/call"
	"autobuild/render"
	"autobuild/render/term"
	"autobuild/state/store"
)

func (a *app) statusCommand() *cobra.Command {
	var asJSON, watch, all bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Show where the run stands",
		Example: `  autobuild status
  autobuild status --watch   until the run ends, and end as it ended
  autobuild status --all     with every phase of a large run
  autobuild status --json`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.attach(c.Context()); err != nil {
				return err
			}
			switch {
			case watch && asJSON:
				return call.Usage("--watch is for people and --json for programs",
					"a program reads .autobuild/events.jsonl, or waits with: autobuild wait")
			case watch:
				return a.watch(c.Context())
			}
			p, run, err := a.LoadRecorded(c.Context())
			if err != nil {
				return err
			}
			alive := store.Working(p.StateDir, p.LockDir)
			if !asJSON {
				a.Print(term.Status(run, a.stands(p, run, alive), alive, time.Now(),
					a.Style(a.Stdout), a.statusHeight(all)))
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
	c.Flags().BoolVar(&all, "all", false, "show every phase of a large run")
	c.Flags().BoolVar(&watch, "watch", false,
		"go on showing it, and end with the run and its exit code")
	return c
}

// pipeHeight is the number of lines for a large run where there is no terminal.
const pipeHeight = 40

// statusHeight is the room for the status of a large run, in lines; 0 is no limit.
func (a *app) statusHeight(all bool) int {
	if all {
		return 0
	}
	if height := terminalHeight(a.Stdout)(); height > 0 {
		return height - 1 // the prompt comes next
	}
	return pipeHeight
}
