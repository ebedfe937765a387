package commands

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"autobuild/orchestrator/session/call"
	"github.com/spf13/cobra"

	"autobuild/temporal/client"
)

func listCommand(c *call.Call) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the runs that a Temporal server knows",
		Long: `Lists the latest sessions of runs at the Temporal server of TEMPORAL_ADDRESS, the newest first. It needs no repository and
no worker.`,
		Example: "  autobuild-temporal list",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			runs, err := client.List(command.Context(), c.Environ)
			if err != nil {
				return err
			}
			var b strings.Builder
			w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
			_, _ = fmt.Fprintln(w, "RUN\tSESSION\tREPOSITORY\tPLAN\tSTATE\tSTARTED")
			for _, r := range runs {
				_, _ = fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\n", r.Run, r.Session, r.Repository,
					r.Plan, r.State, r.Started.UTC().Format(time.DateTime))
			}
			if err = w.Flush(); err != nil {
				return err
			}
			c.Print(b.String())
			return nil
		},
	}
}
