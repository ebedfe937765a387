// Package commands holds what autobuild-temporal adds to the command line of autobuild.
package commands

import (
	"context"
	"errors"
	"time"

	"autobuild/orchestrator/session/call"
	"github.com/spf13/cobra"

	"autobuild/temporal/worker"
)

// All are the commands, for a call.
func All(c *call.Call) []*cobra.Command {
	return []*cobra.Command{workerCommand(c), devCommand(c), listCommand(c)}
}

func workerCommand(c *call.Call) *cobra.Command {
	var o worker.Options
	command := &cobra.Command{
		Use:   "worker",
		Short: "Make attempts for runs of a repository, until it is asked to end",
		Long: `Looks for work at the Temporal server of TEMPORAL_ADDRESS, in the queues of its labels, and makes attempts in clones of its
own. It dials out only. SIGTERM hands running attempts over to other workers; no attempt is spent on that. What a killed
worker left is removed when the next one starts.`,
		Example: `  autobuild-temporal worker --repo git@example.com:team/app.git --slots 2
  autobuild-temporal worker --repo /srv/app.git --labels gpu,linux --exit-when-idle 10m`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if o.Repo == "" {
				return call.Usage("which repository?",
					"name its remote: autobuild-temporal worker --repo URL")
			}
			o.Environ, o.Out = c.Environ, c.Stderr
			ctx, _, stop := c.Signals.Stop(context.Background(), func(string) {})
			defer stop()
			err := worker.Run(ctx, o)
			if errors.Is(err, context.Canceled) {
				return nil
			}
			return err
		},
	}
	f := command.Flags()
	f.StringVar(&o.Repo, "repo", "", "the git remote, as `URL` or path")
	f.IntVar(&o.Slots, "slots", 1, "at most `N` attempts at once")
	f.StringSliceVar(&o.Labels, "labels", nil, "what this machine has, as `NAMES` with commas; phases ask for them by runs-on")
	f.DurationVar(&o.Idle, "exit-when-idle", 0, "end after this long without work (0: never)")
	f.StringVar(&o.Dir, "dir", "", "keep clones and mirrors in `DIR` (default below the cache directory)")
	f.DurationVar(&o.Beat, "heartbeat", 15*time.Second, "time between signs of life of an attempt")
	return command
}
