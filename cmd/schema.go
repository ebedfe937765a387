package cmd

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"autobuild/internal/call"
	"autobuild/internal/config"
	"autobuild/internal/text"
)

// schemas are written by tests from the types that they describe, so they cannot say anything else.
//
//go:embed schemas/*.json
var schemas embed.FS

// schemaNames are what a schema can be asked for.
var schemaNames = []string{"events", "state", "config", "result"}

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema " + strings.Join(schemaNames, "|"),
		Short: "Print the JSON Schema of what autobuild writes and reads",
		Long: `Print a JSON Schema (draft 2020-12):

  events   a line of --progress json and of .autobuild/events.jsonl
  state    .autobuild/config.json and .autobuild/phases/phase-ID.json
  config   autobuild.yaml
  result   .autobuild/result.json

Events and the result may get more members in a later version, and events more types: skip what you do not know.`,
		Example: `  autobuild schema events > events.schema.json
  autobuild schema config > autobuild.schema.json   # for an editor that completes YAML`,
		ValidArgs: schemaNames,
		Args:      cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return call.Usage("autobuild schema takes the name of a schema",
					"one of "+strings.Join(schemaNames, ", "))
			}
			if !slices.Contains(schemaNames, args[0]) {
				return call.Usage(fmt.Sprintf("there is no schema %q", args[0]),
					text.Suggest(args[0], schemaNames, config.SeeHelp))
			}
			text, err := schemas.ReadFile("schemas/" + args[0] + ".json")
			if err != nil {
				return err
			}
			a.Print(string(text))
			return nil
		},
	}
}
