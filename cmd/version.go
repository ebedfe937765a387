package cmd

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"autobuild/orchestrator/session/call"
	"autobuild/state"
)

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
			out, err := json.Marshal(map[string]any{
				"autobuild": call.Version(),
				"schema":    state.Schema, "events": state.EventVersion,
			})
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
